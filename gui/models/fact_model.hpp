// FactModel: what is known of one thing, as a tree of names and values: what inspectors show beside their
// pictures, and what is read aloud in place of these.
//
// A value may lead to a frame. New facts of the same shape keep what is open and current in a view.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QStringList>

#include <memory>
#include <vector>

#include <iwarp/ids.hpp>

namespace iwarp::gui {

struct Fact {
  QString name;
  QStringList values;           // one for each column behind the name; may be fewer
  QString tip{};                // value and unit in words, where that says more
  FrameNumber frame = 0;        // where it is to be seen; 0: nowhere in particular
  std::vector<bool> changed{};  // by value: it is another one than before
  std::vector<Fact> children{};
};

class FactModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Role {
    frame_role = Qt::UserRole,  // FrameNumber, 0: none
    changed_role                // bool
  };

  // `titles`: of the columns, that of the names first.
  explicit FactModel(QStringList titles, QObject* parent = nullptr);

  void set(std::vector<Fact> facts);
  // REQUIRES: index is of this model.
  [[nodiscard]] const Fact& fact(const QModelIndex& index) const;
  // All of it as text, a line each, indented: for the clipboard.
  [[nodiscard]] QString as_text() const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Node {
    Fact fact;
    Node* above = nullptr;
    int row = 0;
    std::vector<std::unique_ptr<Node>> below;
  };

  static void grow(Node& node, std::vector<Fact> facts);
  [[nodiscard]] static bool same_shape(const Node& node, const std::vector<Fact>& facts);
  void replace(Node& node, std::vector<Fact> facts, const QModelIndex& at);
  [[nodiscard]] const Node& node_of(const QModelIndex& index) const;

  const QStringList titles_;
  Node root_;
};

// Marks in `facts` what differs from `before`: by place and name, what is new counts as changed.
void mark_changes(std::vector<Fact>& facts, const std::vector<Fact>& before);

}  // namespace iwarp::gui
