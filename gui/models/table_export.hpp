// Tables as files, by the library's writers: what iwarp-analyze prints of the same records.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>

#include <functional>

#include "models/table_model.hpp"

namespace iwarp::gui {

enum class TableFormat {
  csv,
  json_lines
};

// Writes the rows of the model in its order to a file, which is replaced as a whole, in the thread of the
// log. `done` is called in this one, as long as `asker` lives, with an empty text or a sentence that names
// the file.
void export_table(const TableModel& model, const QString& path, TableFormat format, QObject* asker,
                  std::function<void(QString)> done);

}  // namespace iwarp::gui
