// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/state_at.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

#include <iwarp/export/writers.hpp>

namespace iwarp::gui {
namespace {

// Names of the record's keys, in the order in which people look for them. A key that is not here follows
// under its own name: nothing of the record is left out.
struct Label {
  const char* key;
  const char* name;
};
constexpr Label labels[] = {
    {"phase", "Phase"},
    {"qp_state", "Queue pair"},
    {"outstanding", "Outstanding requests"},
    {"open_messages", "Open messages"},
    {"next_msn", "Next MSN"},
    {"crc", "CRC in use"},
    {"markers", "Markers in use"},
    {"ird", "IRD"},
    {"ord", "ORD"},
    {"counters", "Counters"},
    {"0", "QN 0 (Sends)"},
    {"1", "QN 1 (requests)"},
    {"2", "QN 2 (Terminate)"},
    {"3", "QN 3 (atomics)"},
    {"payload_octets", "Payload octets"},
    {"max_outstanding", "Most outstanding"},
    {"receive_buffers_used", "Receive buffers used"},
    {"gap_octets", "Octets never captured"},
    {"retransmitted_octets", "Octets sent again"},
    {"duplicate_frames", "Frames captured twice"},
    {"placed_ahead", "Placed, not delivered"},
    {"fpdus", "FPDUs"},
    {"good", "CRC good"},
    {"bad", "CRC bad"},
    {"unchecked", "CRC not checked"},
};

std::size_t rank_of(const QString& key) {
  const auto* const found = std::find_if(std::begin(labels), std::end(labels),
                                         [&](const Label& label) { return key == QLatin1String(label.key); });
  return static_cast<std::size_t>(found - std::begin(labels));
}

QString name_of(const QString& key) {
  const std::size_t rank = rank_of(key);
  if (rank < std::size(labels)) return QString::fromLatin1(labels[rank].name);
  QString name = key;
  name.replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!name.isEmpty()) name[0] = name[0].toUpper();
  return name;
}

QString words(const QJsonValue& value) {
  switch (value.type()) {
    case QJsonValue::Bool: return value.toBool() ? QStringLiteral("yes") : QStringLiteral("no");
    case QJsonValue::Double: return QString::number(value.toDouble(), 'f', 0);
    case QJsonValue::String: return value.toString();
    case QJsonValue::Null: return QStringLiteral("not known");
    case QJsonValue::Array: return QString::number(value.toArray().size());
    case QJsonValue::Object: {  // of a list: in one line
      QStringList parts;
      const QJsonObject object = value.toObject();
      for (auto field = object.begin(); field != object.end(); ++field) {
        if (!field.value().isNull())
          parts << name_of(field.key()).toLower() + QLatin1Char(' ') + words(field.value());
      }
      return parts.join(QStringLiteral(", "));
    }
    default: return {};
  }
}

std::vector<Fact> facts_of(const QJsonObject& initiator, const QJsonObject& responder);

// One key of both ends.
Fact fact_of(const QString& key, const QJsonValue& initiator, const QJsonValue& responder) {
  Fact fact{name_of(key), {}};
  if (initiator.isObject() || responder.isObject()) {
    fact.children = facts_of(initiator.toObject(), responder.toObject());
    if (key == QLatin1String("qp_state")) {
      fact.values = {words(initiator.toObject()[QStringLiteral("value")]),
                     words(responder.toObject()[QStringLiteral("value")])};
    }
    return fact;
  }
  fact.values = {words(initiator), words(responder)};
  const QJsonArray one = initiator.toArray();
  const QJsonArray other = responder.toArray();
  for (qsizetype at = 0; at < std::max(one.size(), other.size()); ++at) {
    fact.children.push_back(
        {QStringLiteral("#%1").arg(at + 1),
         {at < one.size() ? words(one[at]) : QString(), at < other.size() ? words(other[at]) : QString()}});
  }
  return fact;
}

std::vector<Fact> facts_of(const QJsonObject& initiator, const QJsonObject& responder) {
  QStringList keys = initiator.keys();
  std::stable_sort(keys.begin(), keys.end(),
                   [](const QString& one, const QString& other) { return rank_of(one) < rank_of(other); });
  std::vector<Fact> facts;
  for (const QString& key : keys) facts.push_back(fact_of(key, initiator[key], responder[key]));
  return facts;
}

std::vector<Fact> facts_of(const ConnectionState& state, FrameNumber frame) {
  TextBuffer text;
  write_json(text, state_record(state, frame));
  const std::string_view view = text.view();
  const QJsonObject record =
      QJsonDocument::fromJson(QByteArray(view.data(), static_cast<qsizetype>(view.size()))).object();
  return facts_of(record[QStringLiteral("initiator")].toObject(),
                  record[QStringLiteral("responder")].toObject());
}

// Backward from what is there: a queue pair changes its state a few times, whatever the number of frames.
std::vector<QpStep> walked_by(const Log& log, ConnectionId stream, Role role, FrameNumber frame) {
  constexpr std::size_t most_steps = 32;
  std::vector<QpStep> steps;
  for (Snapshot state = log.timeline.state_after(stream, frame);
       state != nullptr && steps.size() < most_steps;) {
    const QpState qp = state->side(state->side_of(role)).qp;
    state.reset();
    const bool news = steps.empty() || steps.back().state.value != qp.value;
    if (news) {
      steps.push_back({qp, qp.frame});
    } else {
      steps.back() = {qp, qp.frame};  // the same value for another reason, before
    }
    if (qp.frame == 0 || qp.frame > frame) break;
    frame = qp.frame - 1;
    state = log.timeline.state_after(stream, frame);
  }
  std::reverse(steps.begin(), steps.end());
  if (steps.empty() || steps.front().state.value != QpValue::idle) {
    const bool midstream = !steps.empty() && steps.front().state.evidence == QpEvidence::midstream;
    if (!midstream) steps.insert(steps.begin(), QpStep{});
  }
  return steps;
}

// That the capture ends changes nothing at either end of the stream.
std::span<const FrameNumber> captured_frames_of(const Log& log, ConnectionId stream) {
  const std::span<const FrameNumber> frames = log.analysis.frames_of(stream);
  const bool ended = frames.size() > 1 && frames.back() == end_of_capture;
  return frames.first(frames.size() - (ended ? 1 : 0));
}

}  // namespace

StateAt state_at(const Log& log, ConnectionId stream, FrameNumber frame) {
  const auto frames = captured_frames_of(log, stream);
  const auto behind = std::upper_bound(frames.begin(), frames.end(), frame);
  return state_at_place(log, stream,
                        behind == frames.begin() ? 0 : static_cast<std::size_t>(behind - frames.begin()) - 1);
}

StateAt state_at_place(const Log& log, ConnectionId stream, std::size_t place) {
  StateAt result;
  result.stream = stream;
  const auto frames = captured_frames_of(log, stream);
  result.frames = frames.size();
  if (frames.empty()) return result;
  result.at = std::min(place, frames.size() - 1);
  result.frame = frames[result.at];
  result.time_ns = log.analysis.time_of(std::min(result.frame, log.analysis.last_frame()));
  std::vector<Fact> before;
  if (result.at > 0) {
    const FrameNumber previous = frames[result.at - 1];
    if (const Snapshot state = log.timeline.state_after(stream, previous))
      before = facts_of(*state, previous);
  }
  if (const Snapshot state = log.timeline.state_after(stream, result.frame)) {
    result.facts = facts_of(*state, result.frame);
    for (const Role role : {Role::initiator, Role::responder}) {
      result.ends[static_cast<std::size_t>(role)] = to_string(state->endpoints[index(state->side_of(role))]);
    }
  }
  mark_changes(result.facts, before);
  for (const Role role : {Role::initiator, Role::responder}) {
    result.walked[static_cast<std::size_t>(role)] = walked_by(log, stream, role, result.frame);
  }
  return result;
}

}  // namespace iwarp::gui
