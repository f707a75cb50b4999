// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/compare_model.hpp"

#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <algorithm>

namespace iwarp::gui {
namespace {

constexpr int compared_columns = 5;

const char* unit_name(CompareUnit unit) {
  switch (unit) {
    case CompareUnit::nanoseconds: return "ns";
    case CompareUnit::octets: return "octets";
    case CompareUnit::count: return "count";
    case CompareUnit::hundredths: return "hundredths";
    case CompareUnit::per_second: return "per_second";
  }
  return "";
}

// As RFC 4180 has it.
QByteArray csv_text(const QString& text) {
  QByteArray octets = text.toUtf8();
  if (!octets.contains(',') && !octets.contains('"') && !octets.contains('\n')) return octets;
  return '"' + octets.replace("\"", "\"\"") + '"';
}

QByteArray number_text(std::optional<std::uint64_t> value) {
  return value ? QByteArray::number(static_cast<qulonglong>(*value)) : QByteArray();
}

}  // namespace

CompareModel::CompareModel(const Comparison& comparison, QObject* parent)
    : QAbstractTableModel(parent), comparison_(comparison) {
  connect(&comparison, &Comparison::changed, this, &CompareModel::update);
  update();
}

void CompareModel::update() {
  std::vector<CompareRow> next = compare(*comparison_.side(0), *comparison_.side(1));
  const auto same_row = [](const CompareRow& one, const CompareRow& other) {
    return one.subject == other.subject && one.measure == other.measure;
  };
  const bool same_rows = std::equal(next.begin(), next.end(), rows_.begin(), rows_.end(), same_row);
  if (!same_rows) beginResetModel();
  rows_ = std::move(next);
  if (!same_rows) return endResetModel();
  emit dataChanged(index(0, a), index(rowCount() - 1, change));
}

int CompareModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : compared_columns;
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const CompareRow& of = row(index.row());
  if (role == Qt::TextAlignmentRole) {
    return QVariant(Qt::AlignVCenter | (index.column() >= a ? Qt::AlignRight : Qt::AlignLeft));
  }
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
    case subject: {
      const bool again = index.row() > 0 && row(index.row() - 1).subject == of.subject;
      return again && role == Qt::DisplayRole ? QString() : of.subject;
    }
    case quantity: return of.measure;
    case a: return value_text(of.unit, of.values[0]);
    case b: return value_text(of.unit, of.values[1]);
    default: return change_text(of);
  }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= compared_columns) {
    return QAbstractTableModel::headerData(section, orientation, role);
  }
  if (role == Qt::TextAlignmentRole) {
    return QVariant(Qt::AlignVCenter | (section >= a ? Qt::AlignRight : Qt::AlignLeft));
  }
  if (role == Qt::ToolTipRole) {
    return section == quantity ? tr("Percentiles are at most one sixteenth too much; max is exact")
                               : QVariant();
  }
  if (role != Qt::DisplayRole) return {};
  const QString titles[compared_columns]{tr("What"), tr("Measure"), tr("A"), tr("B"), tr("B against A")};
  return titles[section];
}

QByteArray CompareModel::to_octets(TableFormat format) const {
  QByteArray octets;
  if (format == TableFormat::csv) octets += "type,subject,measure,unit,a,b\r\n";
  for (const CompareRow& of : rows_) {
    const QByteArray unit = unit_name(of.unit);
    if (format == TableFormat::csv) {
      octets += "comparison," + csv_text(of.subject) + ',' + csv_text(of.measure) + ',' + unit + ',' +
                number_text(of.values[0]) + ',' + number_text(of.values[1]) + "\r\n";
      continue;
    }
    const auto number = [](std::optional<std::uint64_t> value) {
      return value ? QJsonValue(static_cast<qint64>(*value)) : QJsonValue();
    };
    octets += QJsonDocument(QJsonObject{{"type", "comparison"},
                                        {"subject", of.subject},
                                        {"measure", of.measure},
                                        {"unit", QString::fromLatin1(unit)},
                                        {"a", number(of.values[0])},
                                        {"b", number(of.values[1])}})
                  .toJson(QJsonDocument::Compact) +
              '\n';
  }
  return octets;
}

bool CompareModel::save(const QString& path, TableFormat format, QString& error) const {
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(to_octets(format)) >= 0 && file.commit()) return true;
  error = path + QStringLiteral(": could not be written: ") + file.errorString();
  return false;
}

}  // namespace iwarp::gui
