// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/stag_story.hpp"

#include <QObject>

#include <algorithm>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

QString frame_words(FrameNumber frame) {
  return QObject::tr("frame %1").arg(frame);
}

QString advertised_words(const StagRecord::Advertised& advertised) {
  QString words = QObject::tr("Advertised in %1").arg(frame_words(advertised.frame));
  if (*ulp_words(advertised.ulp) != '\0')
    words += QObject::tr(" by %1").arg(QLatin1String(ulp_words(advertised.ulp)));
  if (advertised.confidence != Confidence::high) words += QObject::tr(", as it seems");
  words += QObject::tr(": ");
  if (advertised.length)
    words += QObject::tr("%1 ").arg(QString::fromStdString(octets_text(*advertised.length)));
  return words + QObject::tr("at %1").arg(QString::fromStdString(hex_text(advertised.to, 16)));
}

}  // namespace

const char* ulp_words(Ulp ulp) noexcept {
  switch (ulp) {
    case Ulp::unknown: return "";
    case Ulp::rpc_rdma: return "RPC-over-RDMA";
    case Ulp::smb_direct: return "SMB Direct";
    case Ulp::iser: return "iSER";
    case Ulp::nvme: return "NVMe-oF";
    case Ulp::rsockets: return "rsockets";
  }
  return "";
}

TimeSpan StagLife::span() const noexcept {
  std::optional<TimeNs> from;
  std::optional<TimeNs> last;
  for (const auto& time : {advertised_ns, first_use_ns, last_use_ns, invalidated_ns}) {
    if (!time) continue;
    from = std::min(from.value_or(*time), *time);
    last = std::max(last.value_or(*time), *time);
  }
  return from ? TimeSpan{*from, *last + 1} : TimeSpan{};
}

QStringList life_lines(const StagLife& life) {
  const StagRecord& of = life.record;
  QStringList lines;
  lines << (of.advertised ? advertised_words(*of.advertised) : QObject::tr("No advertisement was found"));
  std::uint64_t operations = 0;
  for (const std::uint32_t count : of.operations) operations += count;
  if (of.first_use != 0) {
    lines << QObject::tr("Used from %1 to %2: messages: %3, %4")
                 .arg(frame_words(of.first_use))
                 .arg(of.last_use)
                 .arg(QString::fromStdString(count_text(operations)),
                      QString::fromStdString(octets_text(of.octets)));
  }
  QStringList rights;
  for (const auto& [name, right] :
       {std::pair("read", of.read), std::pair("write", of.write), std::pair("atomic", of.atomic)}) {
    if (right == StagRight::unknown) continue;
    rights << QObject::tr("%1 %2").arg(QLatin1String(name), QLatin1String(stag_right_name(right)));
  }
  if (!rights.isEmpty()) lines << QObject::tr("Rights: %1").arg(rights.join(QStringLiteral(", ")));
  if (of.invalidated != 0) {
    lines << QObject::tr("Invalidated in %1, which was delivered").arg(frame_words(of.invalidated));
  }
  if (of.generation > 1) lines << QObject::tr("Generation %1 of its index").arg(of.generation);
  return lines;
}

void StagRecords::add(std::span<const StagRecord> ended) {
  for (const StagRecord& record : ended) {
    if (records_.size() < most) {
      records_.push_back(record);
    } else {
      ++dropped_;
    }
  }
}

StagStory::StagStory(const StagRecords& records, const Analysis& analysis, Hosts hosts)
    : hosts_(std::move(hosts)), dropped_(records.dropped()) {
  const auto time_of = [&](FrameNumber frame) {
    return frame == 0 ? std::optional<TimeNs>() : analysis.time_of(frame);
  };
  for (const StagRecord& record : records.records()) {
    lives_[{record.host, record.stag}].push_back(
        {record, time_of(record.advertised ? record.advertised->frame : 0), time_of(record.first_use),
         time_of(record.last_use), time_of(record.invalidated)});
  }
  for (auto& [name, lives] : lives_) {
    std::ranges::stable_sort(lives, {}, [](const StagLife& life) { return life.span().from; });
  }
}

std::span<const StagLife> StagStory::of(const StagName& name) const {
  const auto found = lives_.find({hosts_.name(name.host), name.stag});
  if (found == lives_.end()) return {};
  return found->second;
}

}  // namespace iwarp::gui
