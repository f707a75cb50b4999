// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/table_export.hpp"

#include <QSaveFile>

#include <iwarp/export/writers.hpp>

namespace iwarp::gui {
namespace {

constexpr std::size_t piece = 256U << 10U;

QString write_rows(const Log& log, TableModel::RecordOf record_of, RecordKind kind,
                   const std::vector<std::uint32_t>& rows, const QString& path, TableFormat format) {
  QSaveFile file(path);
  bool right = file.open(QIODevice::WriteOnly);
  TextBuffer text;
  const auto flush = [&] {
    right = right && file.write(text.view().data(), static_cast<qint64>(text.size())) >= 0;
    text.clear();
  };
  if (format == TableFormat::csv) write_csv_header(text, kind, false);
  Event event;
  for (std::size_t at = 0; right && at < rows.size(); ++at) {
    const Record record = record_of(log, rows[at], event);
    if (kind == RecordKind::stream && record.connection == nullptr) continue;  // it was let go
    if (format == TableFormat::csv) {
      write_csv(text, record);
    } else {
      write_json(text, record);
    }
    if (text.size() >= piece) flush();
  }
  flush();
  if (right && file.commit()) return {};
  return path + QStringLiteral(": could not be written: ") + file.errorString();
}

}  // namespace

void export_table(const TableModel& model, const QString& path, TableFormat format, QObject* asker,
                  std::function<void(QString)> done) {
  model.workspace().document().ask<QString>(
      asker, "export " + path.toStdString(),
      [record_of = model.record_of(), kind = model.record_kind(), rows = model.rows(), path,
       format](const Log& log) { return write_rows(log, record_of, kind, rows, path, format); },
      std::move(done));
}

}  // namespace iwarp::gui
