// LiveRecords: the records of an interface, until an interrupt comes; and a file that keeps them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>

#include <iwarp/bytes.hpp>
#include <iwarp/capture/live_capture.hpp>

#include "record_source.hpp"

namespace iwarp::cli {

// A pcap file that grows with the capture.
class KeptRecords {
 public:
  // An empty path: nothing is kept. REQUIRES: open() comes before add().
  explicit KeptRecords(std::string path) : path_(std::move(path)) {}
  ~KeptRecords();
  KeptRecords(const KeptRecords&) = delete;
  KeptRecords& operator=(const KeptRecords&) = delete;

  // Makes the file, or writes it anew. False: failure() says why it cannot.
  [[nodiscard]] bool open(std::uint32_t link_type, std::uint32_t snap_octets);
  void add(const capture::Record& record);
  // Hands the system what was added.
  void flush();
  // Why the file lacks what was added, in one sentence; empty: it does not.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  void fail(int error);

  const std::string path_;
  int descriptor_ = -1;
  Bytes waiting_;
  std::string failure_;
};

class LiveRecords final : public RecordSource {
 public:
  // `keep_in`: the file that keeps them, or empty. An interrupt ends them. On failure returns nothing and
  // sets `error` to one sentence.
  [[nodiscard]] static std::unique_ptr<LiveRecords> open(const capture::LiveOptions& options,
                                                         const std::string& keep_in, std::string& error);

  Step next(capture::Record& record) override;
  std::string failure() const override;
  capture::Progress progress() const override { return {.consumed = octets_, .total = {}}; }
  std::map<std::string, std::uint64_t> lost() const override;

 private:
  LiveRecords(std::unique_ptr<capture::LiveCapture> capture, const std::string& keep_in)
      : capture_(std::move(capture)), kept_(keep_in) {}

  std::unique_ptr<capture::LiveCapture> capture_;
  KeptRecords kept_;
  std::uint64_t octets_ = 0;
  bool paused_ = true;  // nothing was delivered since
};

}  // namespace iwarp::cli
