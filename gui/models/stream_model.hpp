// StreamModel: the streams of a capture, with what counts of each.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/table_model.hpp"

namespace iwarp::gui {

class StreamModel final : public TableModel {
  Q_OBJECT
 public:
  // What was slow or wrong comes first: a narrow window has no room for more.
  enum Column {
    stream,
    initiator,
    responder,
    longest,
    findings,
    operations,
    messages,
    payload,
    begun,
    throughput_spark,
    latency_spark,
    end
  };

  explicit StreamModel(Workspace& workspace, QObject* parent = nullptr);

  // Of the rows that the model has.
  [[nodiscard]] const StreamCounts& counts(std::uint32_t row) const noexcept { return levels().streams[row]; }

  [[nodiscard]] const Endpoint& endpoint(std::uint32_t row, Role role) const noexcept;

  RecordKind record_kind() const noexcept override { return RecordKind::stream; }
  RecordOf record_of() const noexcept override;
  Selection selection_of(std::uint32_t row) const override;
  std::optional<std::uint32_t> selected(const Selection& selection) const override;

 protected:
  const RowList& list(const Levels& levels) const override { return levels.stream_rows; }
  QString text(std::uint32_t row, int column) const override;
  SortKey sort_key() const noexcept override;
  QVariant more(std::uint32_t row, int column, int role) const override;
  bool changes() const noexcept override { return true; }
};

}  // namespace iwarp::gui
