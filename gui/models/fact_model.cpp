// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/fact_model.hpp"

#include <algorithm>

namespace iwarp::gui {
namespace {

void write(const std::vector<Fact>& facts, int depth, QString& out) {
  for (const Fact& fact : facts) {
    out += QString(depth * 2, QLatin1Char(' ')) + fact.name;
    if (!fact.values.isEmpty()) out += QStringLiteral(": ") + fact.values.join(QStringLiteral(" | "));
    out += QLatin1Char('\n');
    write(fact.children, depth + 1, out);
  }
}

}  // namespace

FactModel::FactModel(QStringList titles, QObject* parent)
    : QAbstractItemModel(parent), titles_(std::move(titles)) {}

void FactModel::set(std::vector<Fact> facts) {
  if (same_shape(root_, facts)) {
    replace(root_, std::move(facts), {});
    return;
  }
  beginResetModel();
  root_.below.clear();
  grow(root_, std::move(facts));
  endResetModel();
}

void FactModel::grow(Node& node, std::vector<Fact> facts) {
  for (Fact& fact : facts) {
    auto below = std::make_unique<Node>();
    std::vector<Fact> children = fact.children;
    below->fact = std::move(fact);
    below->above = &node;
    below->row = static_cast<int>(node.below.size());
    grow(*below, std::move(children));
    node.below.push_back(std::move(below));
  }
}

bool FactModel::same_shape(const Node& node, const std::vector<Fact>& facts) {
  return std::equal(node.below.begin(), node.below.end(), facts.begin(), facts.end(),
                    [](const std::unique_ptr<Node>& below, const Fact& fact) {
                      return below->fact.name == fact.name && same_shape(*below, fact.children);
                    });
}

void FactModel::replace(Node& node, std::vector<Fact> facts, const QModelIndex& at) {
  for (std::size_t row = 0; row < facts.size(); ++row) {
    std::vector<Fact> children = facts[row].children;
    node.below[row]->fact = std::move(facts[row]);
    replace(*node.below[row], std::move(children), index(static_cast<int>(row), 0, at));
  }
  if (!node.below.empty()) {
    emit dataChanged(index(0, 0, at), index(static_cast<int>(node.below.size()) - 1, columnCount() - 1, at));
  }
}

const FactModel::Node& FactModel::node_of(const QModelIndex& index) const {
  return index.isValid() ? *static_cast<const Node*>(index.constInternalPointer()) : root_;
}

const Fact& FactModel::fact(const QModelIndex& index) const {
  return node_of(index).fact;
}

QString FactModel::as_text() const {
  std::vector<Fact> facts;
  for (const auto& below : root_.below) facts.push_back(below->fact);
  QString out;
  write(facts, 0, out);
  return out;
}

QModelIndex FactModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, node_of(parent).below[static_cast<std::size_t>(row)].get());
}

QModelIndex FactModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  Node* const above = node_of(index).above;
  if (above == nullptr || above == &root_) return {};
  return createIndex(above->row, 0, above);
}

int FactModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(node_of(parent).below.size());
}

int FactModel::columnCount(const QModelIndex&) const {
  return static_cast<int>(titles_.size());
}

QVariant FactModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Fact& fact = node_of(index).fact;
  const int value = index.column() - 1;
  const bool there = value >= 0 && value < fact.values.size();
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == 0) return fact.name;
      return there ? fact.values[value] : QString();
    case Qt::ToolTipRole:
      if (!fact.tip.isEmpty()) return fact.tip;
      return there ? QVariant(fact.name + QStringLiteral(": ") + fact.values[value]) : QVariant();
    case frame_role: return QVariant::fromValue(static_cast<qulonglong>(fact.frame));
    case changed_role:
      return there && static_cast<std::size_t>(value) < fact.changed.size() &&
             fact.changed[static_cast<std::size_t>(value)];
    default: return {};
  }
}

QVariant FactModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= titles_.size()) return {};
  if (role == Qt::DisplayRole) return titles_[section];
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
  return {};
}

void mark_changes(std::vector<Fact>& facts, const std::vector<Fact>& before) {
  for (Fact& fact : facts) {
    const auto old = std::find_if(before.begin(), before.end(),
                                  [&](const Fact& other) { return other.name == fact.name; });
    fact.changed.assign(static_cast<std::size_t>(fact.values.size()), false);
    for (qsizetype value = 0; value < fact.values.size(); ++value) {
      const QString was = old != before.end() ? old->values.value(value) : QString();
      fact.changed[static_cast<std::size_t>(value)] = was != fact.values[value];
    }
    mark_changes(fact.children, old != before.end() ? old->children : std::vector<Fact>());
  }
}

}  // namespace iwarp::gui
