// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/frame_reader.hpp>

#include <algorithm>
#include <utility>

#include "frame_index.hpp"
#include "input_buffer.hpp"
#include "open_format.hpp"

namespace iwarp::capture {
namespace {

constexpr std::size_t max_places = 512;

}  // namespace

std::optional<FrameIndex::Implementation::Place> FrameIndex::Implementation::place_before(
    FrameNumber frame) const {
  const std::lock_guard lock(mutex_);
  const auto behind = std::partition_point(places_.begin(), places_.end(),
                                           [frame](const Place& each) { return each.frame < frame; });
  if (behind == places_.begin()) return std::nullopt;
  return *std::prev(behind);
}

std::optional<FileIdentity> FrameIndex::Implementation::file() const {
  const std::lock_guard lock(mutex_);
  return file_;
}

std::size_t FrameIndex::Implementation::size() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

void FrameIndex::Implementation::add(const FormatReader& reader, FrameNumber frame) {
  const InputBuffer& input = reader.input();
  Place place{frame, input.offset(), reader.resume(), source_offset_, source_};
  // The source is ahead of this record: it is what the next place will begin with.
  if (input.is_compressed()) {
    if (ByteSource::Resume resume = input.resume_source(); resume.make) {
      source_ = std::move(resume.make);
      source_offset_ = input.source_offset() - resume.behind;
    }
  } else {
    place.source_offset = place.offset;
  }
  next_offset_ = input.source_offset() + interval_;
  if (!place.format || (input.is_compressed() && !place.source)) return;
  const std::lock_guard lock(mutex_);
  places_.push_back(std::move(place));
  if (places_.size() < max_places) return;
  std::size_t kept = 0;
  for (std::size_t at = 1; at < places_.size(); at += 2) places_[kept++] = std::move(places_[at]);
  places_.resize(kept);
  interval_ *= 2;
}

FrameIndex::FrameIndex() : implementation_(std::make_unique<Implementation>()) {}
FrameIndex::~FrameIndex() = default;

std::size_t FrameIndex::size() const {
  return implementation_->size();
}

class FrameReader::Implementation {
 public:
  Implementation(std::string path, std::shared_ptr<const FrameIndex> index)
      : path_(std::move(path)), index_(std::move(index)) {}

  [[nodiscard]] bool begin(std::string& error) {
    read_ = {};
    auto source = open_file(path_, error);
    if (!source) return fail(error, error);
    reader_ = open_format(InputBuffer(std::move(source)), path_, error);
    if (!reader_) return false;
    if (reader_->start()) return true;
    error = reader_->damage()->text;
    reader_.reset();
    return false;
  }

  [[nodiscard]] bool read(FrameNumber frame, Record& record, std::string& error) {
    if (frame == 0) return fail("frames count from 1", error);
    if (const char* const changed = change(); *changed != '\0') return fail(changed, error);
    if (reader_ == nullptr || frame != read_.number) {
      if (!stand_before(frame, error)) return false;
      while (read_.number < frame) {
        if (!reader_->next(read_)) return ended(frame, error);
      }
      if (read_.number != frame) {
        return fail("frame " + std::to_string(frame) + " holds no packet", error);
      }
    }
    record = read_;
    return true;
  }

 private:
  // What became of the file since it was read, as far as the system tells; empty: nothing.
  [[nodiscard]] const char* change() const {
    const auto known = index_->implementation().file();
    if (!known) return "";
    const auto now = identify_file(path_);
    if (!now) return "was removed since it was read";
    return !known->may_be(*now) ? "is another file than it was when it was read" : "";
  }

  bool fail(const std::string& what, std::string& error) const {
    error = path_ + ": " + what;
    return false;
  }

  bool ended(FrameNumber frame, std::string& error) {
    const auto damage = reader_->damage();
    const FrameNumber last = read_.number;
    reader_.reset();  // nothing may be read behind the end
    if (!damage) {
      return fail("has no frame " + std::to_string(frame) + ", " + std::to_string(last) + " is the last",
                  error);
    }
    error = damage->text;
    return false;
  }

  // Reading goes on where it stands, or at a better place.
  bool stand_before(FrameNumber frame, std::string& error) {
    const bool may_go_on = reader_ != nullptr && read_.number < frame;
    const auto place = index_->implementation().place_before(frame);
    if (may_go_on && (!place || place->frame <= read_.number)) return true;
    return place ? go_to(*place, error) : begin(error);
  }

  bool go_to(const FrameIndex::Implementation::Place& place, std::string& error) {
    reader_.reset();
    std::unique_ptr<ByteSource> source =
        place.source ? place.source(path_, error) : open_file(path_, error, {}, place.source_offset);
    if (!source) return fail(error, error);
    InputBuffer input(std::move(source), place.source_offset);
    if (!input.skip(place.offset - place.source_offset)) return fail("is shorter than it was", error);
    reader_ = place.format(std::move(input), path_);
    read_ = {};
    read_.number = place.frame;
    return true;
  }

  std::string path_;
  std::shared_ptr<const FrameIndex> index_;
  std::unique_ptr<FormatReader> reader_;  // behind the frame read_
  Record read_;
};

FrameReader::FrameReader(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
FrameReader::~FrameReader() = default;

std::unique_ptr<FrameReader> FrameReader::open(const std::string& path,
                                               std::shared_ptr<const FrameIndex> index, std::string& error) {
  auto implementation = std::make_unique<Implementation>(path, std::move(index));
  if (!implementation->begin(error)) return nullptr;
  return std::unique_ptr<FrameReader>(new FrameReader(std::move(implementation)));
}

bool FrameReader::read(FrameNumber frame, Record& record, std::string& error) {
  return implementation_->read(frame, record, error);
}

}  // namespace iwarp::capture
