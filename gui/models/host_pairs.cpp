// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/host_pairs.hpp"

#include <algorithm>
#include <map>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr quintptr is_pair = 0;  // of a stream: its pair's place, one more

}  // namespace

HostPairModel::HostPairModel(StreamModel& streams, QObject* parent)
    : QAbstractItemModel(parent), streams_(streams) {
  connect(&streams, &QAbstractItemModel::modelReset, this, &HostPairModel::rebuild);
  connect(&streams, &QAbstractItemModel::rowsInserted, this, &HostPairModel::rebuild);
  connect(&streams, &QAbstractItemModel::layoutChanged, this, &HostPairModel::rebuild);
  connect(&streams, &QAbstractItemModel::dataChanged, this, &HostPairModel::update);
  rebuild();
}

void HostPairModel::rebuild() {
  beginResetModel();
  pairs_.clear();
  std::map<std::pair<IpAddress, IpAddress>, std::size_t> known;
  for (int place = 0; place < streams_.rowCount(); ++place) {
    const std::uint32_t row = streams_.row_at(place);
    const std::pair hosts(streams_.endpoint(row, Role::initiator).address,
                          streams_.endpoint(row, Role::responder).address);
    const auto [found, added] = known.try_emplace(hosts, pairs_.size());
    if (added) pairs_.push_back({hosts.first, hosts.second, {}});
    pairs_[found->second].places.push_back(place);
  }
  endResetModel();
}

void HostPairModel::update() {
  for (int pair = 0; pair < rowCount(); ++pair) {
    const QModelIndex top = index(pair, 0);
    emit dataChanged(top, index(pair, columnCount() - 1));
    emit dataChanged(index(0, 0, top), index(rowCount(top) - 1, columnCount() - 1, top));
  }
}

std::optional<std::uint32_t> HostPairModel::stream_row(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == is_pair) return std::nullopt;
  const Pair& pair = pairs_[index.internalId() - 1];
  return streams_.row_at(pair.places[static_cast<std::size_t>(index.row())]);
}

QModelIndex HostPairModel::index_of(std::uint32_t row) const {
  for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
    const std::vector<int>& places = pairs_[pair].places;
    const auto found =
        std::find_if(places.begin(), places.end(), [&](int place) { return streams_.row_at(place) == row; });
    if (found != places.end()) return createIndex(static_cast<int>(found - places.begin()), 0, pair + 1);
  }
  return {};
}

QModelIndex HostPairModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : is_pair);
}

QModelIndex HostPairModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == is_pair) return {};
  return createIndex(static_cast<int>(child.internalId() - 1), 0, is_pair);
}

int HostPairModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(pairs_.size());
  if (parent.internalId() != is_pair || parent.column() > 0) return 0;
  return static_cast<int>(pairs_[static_cast<std::size_t>(parent.row())].places.size());
}

int HostPairModel::columnCount(const QModelIndex&) const {
  return streams_.columnCount();
}

QVariant HostPairModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (index.internalId() != is_pair) {
    const Pair& pair = pairs_[index.internalId() - 1];
    return streams_.index(pair.places[static_cast<std::size_t>(index.row())], index.column()).data(role);
  }
  const Pair& pair = pairs_[static_cast<std::size_t>(index.row())];
  if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole) return text(pair, index.column());
  if (role == Qt::TextAlignmentRole && index.column() != StreamModel::stream) {
    return streams_.index(pair.places.front(), index.column()).data(role);
  }
  return {};
}

QVariant HostPairModel::headerData(int section, Qt::Orientation orientation, int role) const {
  return streams_.headerData(section, orientation, role);
}

QString HostPairModel::text(const Pair& pair, int column) const {
  std::uint64_t operations = 0;
  std::uint64_t messages = 0;
  std::uint64_t octets = 0;
  std::int64_t longest = -1;
  std::array<std::uint64_t, 4> findings{};
  for (const int place : pair.places) {
    const StreamCounts& counts = streams_.counts(streams_.row_at(place));
    operations += counts.operations;
    messages += counts.messages;
    octets += counts.octets;
    longest = std::max(longest, counts.longest_ns);
    for (std::size_t severity = 0; severity < findings.size(); ++severity) {
      findings[severity] += counts.findings[severity];
    }
  }
  switch (column) {
    case StreamModel::stream:
      return pair.places.size() == 1 ? tr("1 stream") : tr("%1 streams").arg(pair.places.size());
    case StreamModel::initiator: return QString::fromStdString(to_string(pair.initiator));
    case StreamModel::responder: return QString::fromStdString(to_string(pair.responder));
    case StreamModel::operations: return QString::fromStdString(count_text(operations));
    case StreamModel::messages: return QString::fromStdString(count_text(messages));
    case StreamModel::payload: return QString::fromStdString(octets_text(octets));
    case StreamModel::longest:
      return longest < 0 ? QStringLiteral("–") : QString::fromStdString(duration_text(longest));
    case StreamModel::findings: {
      QStringList parts;
      for (std::size_t severity = findings.size(); severity-- > 0;) {
        if (findings[severity] == 0) continue;
        parts << QStringLiteral("%1 %2")
                     .arg(findings[severity])
                     .arg(QString::fromLatin1(severity_name(static_cast<Severity>(severity))));
      }
      return parts.isEmpty() ? tr("none") : parts.join(QStringLiteral(", "));
    }
    default: return {};
  }
}

}  // namespace iwarp::gui
