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
  // Reads frames again that next() brought; nothing where that cannot be done, and `error` says why in one
  // sentence.
  [[nodiscard]] virtual std::unique_ptr<capture::FrameReader> frame_reader(std::string& error) const = 0;
};

// Opens a source, in the document's thread. Nothing: `error` says why in one sentence. `cancelled` may be
// asked while something is waited for, ten times a second: what was read until then is shown; true ends it as
// damage.
using OpenSource =
    std::function<std::unique_ptr<RecordSource>(std::string& error, std::function<bool()> cancelled)>;

// A capture file from its beginning to its end; "-" is standard input.
[[nodiscard]] OpenSource file_source(std::string path);

}  // namespace iwarp::gui
