// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/kept_frames.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr std::size_t written_at_once = 256U << 10U;

// What stands before the octets of a frame.
struct Head {
  FrameNumber number;
  TimeNs time_ns;
  std::uint64_t wire_length;
  std::uint32_t size;
  std::uint32_t link_type;
  std::uint32_t interface;
  std::uint32_t has_time;
};

}  // namespace

KeptFrames::KeptFrames(std::uint64_t most) {
  const char* const named = std::getenv("TMPDIR");
  folder_ = named != nullptr && *named != '\0' ? named : "/var/tmp";
  std::string path = folder_ + "/iwarp-view-XXXXXX";
  file_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) {
    stop("no file could be made in " + folder_, errno);
    return;
  }
  ::unlink(path.c_str());
  most_ = most;
  struct statvfs disk {};
  if (::fstatvfs(file_, &disk) == 0) {
    most_ = std::min<std::uint64_t>(most_, std::uint64_t{disk.f_bavail} * disk.f_frsize / 2);
  }
  if (most_ < 2 * written_at_once) stop("no room is left in " + folder_, 0);
}

KeptFrames::~KeptFrames() {
  if (file_ >= 0) ::close(file_);
}

void KeptFrames::stop(const std::string& what, int reason) {
  why_not_ = what;
  if (reason != 0) why_not_ += ": " + std::generic_category().message(reason);
}

void KeptFrames::add(const capture::Record& record) {
  if (!why_not_.empty() || record.number == 0) return;
  places_.resize(record.number, nowhere);
  const Head head{record.number,
                  record.time_ns,
                  record.wire_length,
                  static_cast<std::uint32_t>(record.octets.size()),
                  record.link_type,
                  record.interface,
                  record.has_time ? 1U : 0U};
  if (sizeof head + record.octets.size() > most_ / 2) return;
  places_.back() = written_ + pending_.size();
  const auto* const octets = reinterpret_cast<const Byte*>(&head);
  pending_.insert(pending_.end(), octets, octets + sizeof head);
  pending_.insert(pending_.end(), record.octets.begin(), record.octets.end());
  if (pending_.size() >= written_at_once) flush();
}

void KeptFrames::flush() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    const std::uint64_t place = (written_ + done) % most_;
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(pending_.size() - done, most_ - place));
    const ssize_t count = ::pwrite(file_, pending_.data() + done, size, static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {  // what is there stays, and so do those that are pending
      return stop("frames are kept no longer in " + folder_, count < 0 ? errno : ENOSPC);
    }
    done += static_cast<std::size_t>(count);
  }
  written_ += pending_.size();
  pending_.clear();
}

// Octets [from, from + size) of all that was added. REQUIRES: they are there.
bool KeptFrames::copy(std::uint64_t from, void* to, std::size_t size) {
  auto* into = static_cast<Byte*>(to);
  if (from >= written_) {  // a frame is never divided between the file and what is pending
    std::memcpy(into, pending_.data() + (from - written_), size);
    return true;
  }
  while (size > 0) {
    const std::uint64_t place = from % most_;
    const ssize_t count =
        ::pread(file_, into, static_cast<std::size_t>(std::min<std::uint64_t>(size, most_ - place)),
                static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    into += count;
    from += static_cast<std::uint64_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool KeptFrames::read(FrameNumber number, capture::Record& record, std::string& error) {
  const std::string name = "frame " + std::to_string(number);
  if (number == 0 || number > places_.size() || places_[number - 1] == nowhere) {
    error = name + " was not kept" + (why_not_.empty() ? "" : ": " + why_not_);
    return false;
  }
  const std::uint64_t place = places_[number - 1];
  // What is written takes the place of the oldest; where writing failed, a part of what is pending may have.
  const std::uint64_t end = written_ + (why_not_.empty() ? 0 : pending_.size());
  if (place + most_ < end) {
    error = name + " is not kept any more: of frames that come once the last " + octets_text(most_) +
            " are; to have all, capture into a file and follow it with --follow";
    return false;
  }
  Head head{};
  bool there = copy(place, &head, sizeof head);
  if (there) {
    octets_.resize(head.size);
    there = copy(place + sizeof head, octets_.data(), octets_.size());
  }
  if (!there) {
    error = name + " could not be read again in " + folder_;
    return false;
  }
  record = {};
  record.number = head.number;
  record.time_ns = head.time_ns;
  record.has_time = head.has_time != 0;
  record.link_type = head.link_type;
  record.interface = head.interface;
  record.octets = octets_;
  record.wire_length = head.wire_length;
  return true;
}

namespace {

class KeptSource final : public RecordSource {
 public:
  KeptSource(std::unique_ptr<RecordSource> inner, std::uint64_t most)
      : inner_(std::move(inner)), kept_(most) {}

  Next next(capture::Record& record) override {
    const Next next = inner_->next(record);
    if (next == Next::record) kept_.add(record);
    return next;
  }
  const std::optional<capture::Damage>& damage() const noexcept override { return inner_->damage(); }
  capture::Progress progress() const noexcept override { return inner_->progress(); }
  Losses lost() const override { return inner_->lost(); }
  bool frame(FrameNumber number, capture::Record& record, std::string& error) override {
    return kept_.read(number, record, error);
  }

 private:
  const std::unique_ptr<RecordSource> inner_;
  KeptFrames kept_;
};

}  // namespace

OpenSource kept_source(OpenSource inner, std::uint64_t most) {
  return [inner = std::move(inner), most](std::string& error,
                                          std::function<bool()> cancelled) -> std::unique_ptr<RecordSource> {
    auto source = inner(error, std::move(cancelled));
    if (source == nullptr) return nullptr;
    return std::make_unique<KeptSource>(std::move(source), most);
  };
}

}  // namespace iwarp::gui
