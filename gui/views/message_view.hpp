// MessageView: the selected message: its fields, and its octets from the file, marked by what they are. Where
// no message is selected it is that of the selected frame, else the first that counts.
//
//   Up Down PageUp PageDown, wheel  scroll    Ctrl+S  save its payload as a file
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/message_octets.hpp"
#include "models/sought.hpp"
#include "views/inspector_view.hpp"

namespace iwarp::gui {

class MessageView final : public InspectorView {
  Q_OBJECT
 public:
  MessageView(Workspace& workspace, const Theme& theme, QWidget* parent);

  [[nodiscard]] const std::optional<MessageOctets>& shown() const noexcept { return message_; }
  // Writes the whole payload; `done` gets why not, a sentence, or nothing.
  void save_payload(const QString& path, std::function<void(QString error)> done);

 private:
  void update_message();
  void find_message(std::uint32_t otherwise, const std::shared_ptr<const Levels>& levels);
  void show_message(MessageOctets message);
  [[nodiscard]] qsizetype page() const;  // lines that are seen, but for one
  void scroll(qsizetype lines);
  void ask_where_to_save();
  Work paint_hex(QPainter& painter, QSize size);
  [[nodiscard]] QColor color_of(MessageOctets::Field field) const;

  PictureWidget& hex_;
  std::optional<MessageOctets> message_;
  std::optional<Sought> sought_;  // found, or being looked for
  qsizetype first_line_ = 0;
};

}  // namespace iwarp::gui
