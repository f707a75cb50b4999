// FindingModel: broken rules that count.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/table_model.hpp"

namespace iwarp::gui {

class FindingModel final : public TableModel {
  Q_OBJECT
 public:
  enum Column {
    severity,
    id,
    stream,
    from,
    frame,
    time,
    words,
    reference
  };

  explicit FindingModel(Workspace& workspace, QObject* parent = nullptr);

  [[nodiscard]] const Finding& finding(std::uint32_t row) const { return table().finding(row); }

  RecordKind record_kind() const noexcept override { return RecordKind::finding; }
  RecordOf record_of() const noexcept override;
  Selection selection_of(std::uint32_t row) const override;
  std::optional<std::uint32_t> selected(const Selection& selection) const override {
    return selection.finding;
  }

 protected:
  const RowList& list(const Levels& levels) const override { return levels.finding_rows; }
  QString text(std::uint32_t row, int column) const override;
  SortKey sort_key() const noexcept override;
  QVariant more(std::uint32_t row, int column, int role) const override;

 private:
  [[nodiscard]] const FindingTable& table() const { return workspace().document().metrics().findings(); }
};

}  // namespace iwarp::gui
