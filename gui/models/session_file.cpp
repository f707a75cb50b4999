// Sessions as JSON. Times and numbers are decimal text where a double would not hold them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <iwarp/export/filter.hpp>

#include "models/session.hpp"

namespace iwarp::gui {
namespace {

constexpr int file_version = 1;
constexpr qint64 most_octets = 16 << 20;
constexpr qsizetype most_bookmarks = 10'000;

template <typename Number>
QJsonValue number_json(const std::optional<Number>& number) {
  return number ? QJsonValue(QString::number(*number)) : QJsonValue();
}

std::optional<qint64> signed_of(const QJsonValue& value) {
  bool right = false;
  const qint64 number = value.toString().toLongLong(&right);
  return right ? std::optional(number) : std::nullopt;
}

template <typename Number>
std::optional<Number> unsigned_of(const QJsonValue& value) {
  bool right = false;
  const quint64 number = value.toString().toULongLong(&right);
  if (!right || number > std::numeric_limits<Number>::max()) return std::nullopt;
  return static_cast<Number>(number);
}

QJsonObject stag_json(const StagName& stag) {
  const QByteArray octets(reinterpret_cast<const char*>(stag.host.octets.data()),
                          stag.host.version == 4 ? 4 : 16);
  return {{"host", QString::fromLatin1(octets.toHex())}, {"stag", QString::number(stag.stag)}};
}

std::optional<StagName> stag_of(const QJsonObject& object) {
  const QByteArray octets = QByteArray::fromHex(object["host"].toString().toLatin1());
  const auto number = unsigned_of<std::uint32_t>(object["stag"]);
  if (!number || (octets.size() != 4 && octets.size() != 16)) return std::nullopt;
  StagName stag;
  stag.host.version = octets.size() == 4 ? 4 : 6;
  std::copy(octets.begin(), octets.end(), reinterpret_cast<char*>(stag.host.octets.data()));
  stag.stag = *number;
  return stag;
}

QJsonObject place_json(const Place& place) {
  const Selection& selection = place.selection;
  QJsonObject object{{"filter", QString::fromStdString(place.filter)}};
  if (place.range) {
    object["from_ns"] = QString::number(place.range->from);
    object["upto_ns"] = QString::number(place.range->upto);
  }
  object["stream"] = number_json(selection.stream);
  object["operation"] = number_json(selection.operation);
  object["message"] = number_json(selection.message);
  object["finding"] = number_json(selection.finding);
  object["frame"] = number_json(selection.frame);
  object["time_ns"] = number_json(selection.time);
  if (selection.stag) object["stag"] = stag_json(*selection.stag);
  return object;
}

// A place as it stood in the file; nothing where its filter is wrong.
std::optional<Place> place_of(const QJsonObject& object) {
  Place place;
  place.filter = object["filter"].toString().toStdString();
  std::string error;
  if (!place.filter.empty() && !Filter::parse(place.filter, error)) return std::nullopt;
  const auto from = signed_of(object["from_ns"]);
  const auto upto = signed_of(object["upto_ns"]);
  if (from && upto && *from < *upto) place.range = TimeSpan{*from, *upto};
  Selection& selection = place.selection;
  selection.stream = unsigned_of<ConnectionId>(object["stream"]);
  selection.operation = unsigned_of<std::uint32_t>(object["operation"]);
  selection.message = unsigned_of<std::uint32_t>(object["message"]);
  selection.finding = unsigned_of<std::uint32_t>(object["finding"]);
  selection.frame = unsigned_of<FrameNumber>(object["frame"]);
  if (const auto time = signed_of(object["time_ns"])) selection.time = *time;
  if (object.contains("stag")) selection.stag = stag_of(object["stag"].toObject());
  return place;
}

}  // namespace

QByteArray Session::to_json() const {
  QJsonArray marks;
  for (const Bookmark& bookmark : bookmarks_) {
    marks.append(QJsonObject{{"note", bookmark.note}, {"place", place_json(bookmark.place)}});
  }
  return QJsonDocument(QJsonObject{{"iwarp_view_session", file_version},
                                   {"place", place_json(place())},
                                   {"bookmarks", marks}})
      .toJson();
}

bool Session::from_json(const QByteArray& json, QString& error, const Fitted& fitted) {
  QJsonParseError wrong{};
  const QJsonObject object = QJsonDocument::fromJson(json, &wrong).object();
  if (wrong.error != QJsonParseError::NoError) {
    error = QStringLiteral("is no session of iwarp-view: %1 at octet %2")
                .arg(wrong.errorString())
                .arg(wrong.offset);
    return false;
  }
  if (object["iwarp_view_session"].toInt() != file_version) {
    error = QStringLiteral("is no session of this version of iwarp-view");
    return false;
  }
  const auto read = place_of(object["place"].toObject());
  const QJsonArray marks = object["bookmarks"].toArray();
  std::vector<Bookmark> bookmarks;
  bool right = read.has_value() && marks.size() <= most_bookmarks;
  for (qsizetype at = 0; right && at < marks.size(); ++at) {
    const QJsonObject mark = marks[at].toObject();
    const auto where = place_of(mark["place"].toObject());
    right = where.has_value();
    if (right) bookmarks.push_back({mark["note"].toString(), *where});
  }
  if (!right) {
    error = QStringLiteral("has a filter that is wrong, or too many bookmarks");
    return false;
  }
  bookmarks_ = std::move(bookmarks);
  emit bookmarks_changed();
  go(fitted ? fitted(*read) : *read);
  return true;
}

bool Session::save(const QString& path, QString& error) const {
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(to_json()) >= 0 && file.commit()) return true;
  error = path + QStringLiteral(": could not be written: ") + file.errorString();
  return false;
}

bool Session::load(const QString& path, QString& error, const Fitted& fitted) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    error = path + QStringLiteral(": could not be read: ") + file.errorString();
    return false;
  }
  QString what;
  if (from_json(file.read(most_octets), what, fitted)) return true;
  error = path + QStringLiteral(": ") + what;
  return false;
}

}  // namespace iwarp::gui
