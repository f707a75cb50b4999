// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/interface_dialog.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>

namespace iwarp::gui {

InterfaceDialog::InterfaceDialog(const std::vector<std::string>& interfaces, QWidget* parent)
    : QDialog(parent), interface_(new QComboBox(this)), filter_(new QLineEdit(this)) {
  setWindowTitle(tr("Capture from an interface"));
  for (const std::string& name : interfaces) interface_->addItem(QString::fromStdString(name));
  interface_->setAccessibleName(tr("Interface"));
  filter_->setPlaceholderText(tr("All packets; or tcp port 4420"));
  filter_->setAccessibleName(tr("Capture filter"));
  filter_->setMinimumWidth(280);
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  QPushButton* const begin = buttons->addButton(tr("Capture"), QDialogButtonBox::AcceptRole);
  begin->setDefault(true);
  begin->setEnabled(interface_->count() > 0);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    emit chosen(interface_->currentText(), filter_->text().trimmed());
    accept();
  });
  auto* const form = new QFormLayout(this);
  form->addRow(tr("&Interface:"), interface_);
  form->addRow(tr("Capture &filter:"), filter_);
  form->addRow(buttons);
}

}  // namespace iwarp::gui
