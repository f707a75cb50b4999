// Asks which interface to capture from, and which of its packets.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QDialog>

#include <string>
#include <vector>

class QComboBox;
class QLineEdit;

namespace iwarp::gui {

class InterfaceDialog final : public QDialog {
  Q_OBJECT
 public:
  InterfaceDialog(const std::vector<std::string>& interfaces, QWidget* parent);

 signals:
  // An empty filter: all packets.
  void chosen(const QString& interface, const QString& filter);

 private:
  QComboBox* interface_;
  QLineEdit* filter_;
};

}  // namespace iwarp::gui
