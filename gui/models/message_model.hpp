// MessageModel: DDP messages that count.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/table_model.hpp"

namespace iwarp::gui {

class MessageModel final : public TableModel {
  Q_OBJECT
 public:
  enum Column {
    stream,
    opcode,
    from,
    time,
    length,
    segments,
    where,
    frame,
    status
  };

  explicit MessageModel(Workspace& workspace, QObject* parent = nullptr);

  RecordKind record_kind() const noexcept override { return RecordKind::message; }
  RecordOf record_of() const noexcept override;
  Selection selection_of(std::uint32_t row) const override;
  std::optional<std::uint32_t> selected(const Selection& selection) const override {
    return selection.message;
  }

 protected:
  const RowList& list(const Levels& levels) const override { return levels.message_rows; }
  QString text(std::uint32_t row, int column) const override;
  SortKey sort_key() const noexcept override;

 private:
  [[nodiscard]] const MessageTable& table() const { return workspace().document().metrics().messages(); }
};

}  // namespace iwarp::gui
