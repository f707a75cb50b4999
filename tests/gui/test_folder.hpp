// A folder for the files of one test, removed with it. Each test has its own, since tests run side by side.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QTemporaryDir>

#include <string>

namespace iwarp::gui::test_files {

class Folder {
 public:
  QString of(const QString& name) const { return folder_.filePath(name); }
  std::string of(const char* name) const { return folder_.filePath(QString::fromUtf8(name)).toStdString(); }

 private:
  QTemporaryDir folder_;
};

}  // namespace iwarp::gui::test_files
