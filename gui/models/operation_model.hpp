// OperationModel: Reads, Writes, Sends, atomic operations and Immediates that count.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/table_model.hpp"

namespace iwarp::gui {

class OperationModel final : public TableModel {
  Q_OBJECT
 public:
  enum Column {
    stream,
    kind,
    requester,
    time,
    latency,
    length,
    outstanding,
    request_frame,
    response_frame,
    status
  };

  explicit OperationModel(Workspace& workspace, QObject* parent = nullptr);

  RecordKind record_kind() const noexcept override { return RecordKind::operation; }
  RecordOf record_of() const noexcept override;
  Selection selection_of(std::uint32_t row) const override;
  std::optional<std::uint32_t> selected(const Selection& selection) const override {
    return selection.operation;
  }

 protected:
  const RowList& list(const Levels& levels) const override { return levels.operation_rows; }
  QString text(std::uint32_t row, int column) const override;
  SortKey sort_key() const noexcept override;

 private:
  [[nodiscard]] const OperationTable& table() const { return workspace().document().metrics().operations(); }
};

}  // namespace iwarp::gui
