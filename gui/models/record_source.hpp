// RecordSource: where a document's frames come from: a file, standard input, a file that grows, an interface.
//
// A source is opened, used and destroyed by one thread, the document's.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <iwarp/capture/frame_reader.hpp>
#include <iwarp/capture/record_reader.hpp>

namespace iwarp::gui {

class RecordSource {
 public:
  enum class Next {
    record,
    nothing_yet,  // and it waited for some while, a tenth of a second at most
    end,          // damage() tells whether it is one before its time
  };

  RecordSource() = default;
  RecordSource(const RecordSource&) = delete;
  RecordSource& operator=(const RecordSource&) = delete;
  virtual ~RecordSource() = default;

  // The record's octets are valid until the next call.
  [[nodiscard]] virtual Next next(capture::Record& record) = 0;
  [[nodiscard]] virtual const std::optional<capture::Damage>& damage() const noexcept = 0;
  [[nodiscard]] virtual capture::Progress progress() const noexcept = 0;
  // Frames that passed and are not among those of next(), by reason.
  using Losses = std::map<std::string, std::uint64_t>;
  [[nodiscard]] virtual Losses lost() const { return {}; }
  // A frame that next() brought, once more; its octets are valid until the next call of this. False: `error`
  // says in one sentence why it can't be had.
  [[nodiscard]] virtual bool frame(FrameNumber number, capture::Record& record, std::string& error) = 0;
};

// Opens a source, in the document's thread. Nothing: `error` says why in one sentence. `cancelled` may be
// asked while something is waited for, ten times a second: what was read until then is shown; true ends it as
// damage.
using OpenSource =
    std::function<std::unique_ptr<RecordSource>(std::string& error, std::function<bool()> cancelled)>;

// Frames of a file, whose places were noted while it was read.
class FileFrames {
 public:
  FileFrames(std::string path, std::shared_ptr<capture::FrameIndex> index)
      : path_(std::move(path)), index_(std::move(index)) {}
  // As RecordSource::frame.
  [[nodiscard]] bool read(FrameNumber number, capture::Record& record, std::string& error);

 private:
  const std::string path_;
  const std::shared_ptr<capture::FrameIndex> index_;
  std::unique_ptr<capture::FrameReader> reader_;  // opened when first needed
};

// A capture file from its beginning to its end; "-" is standard input. Of pipes the frames are kept, since
// they come but once.
[[nodiscard]] OpenSource file_source(std::string path);

}  // namespace iwarp::gui
