// RecordSource: where the records that a job analyses come from. FileRecords: a capture file, or standard
// input.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <iwarp/capture/record_reader.hpp>

namespace iwarp::cli {

class RecordSource {
 public:
  enum class Step : std::uint8_t {
    record,
    pause,  // there is none for now: time to show what is known. The next call waits for some, a moment
    end
  };

  RecordSource() = default;
  RecordSource(const RecordSource&) = delete;
  RecordSource& operator=(const RecordSource&) = delete;
  virtual ~RecordSource() = default;

  // The record's octets live until the next call.
  [[nodiscard]] virtual Step next(capture::Record& record) = 0;
  // RecordReader::storage() of the record.
  [[nodiscard]] virtual std::shared_ptr<const void> storage() const { return nullptr; }
  [[nodiscard]] virtual const void* storage_address() const { return nullptr; }
  // Why there are no more records although there should be, in one sentence; empty: that was all.
  [[nodiscard]] virtual std::string failure() const = 0;
  [[nodiscard]] virtual capture::Progress progress() const = 0;
  // Frames that should be among the records and are not, by reason.
  [[nodiscard]] virtual std::map<std::string, std::uint64_t> lost() const { return {}; }
};

class FileRecords final : public RecordSource {
 public:
  explicit FileRecords(std::unique_ptr<capture::RecordReader> reader) : reader_(std::move(reader)) {}

  Step next(capture::Record& record) override { return reader_->next(record) ? Step::record : Step::end; }
  std::shared_ptr<const void> storage() const override { return reader_->storage(); }
  const void* storage_address() const override { return reader_->storage_address(); }
  std::string failure() const override { return reader_->damage() ? reader_->damage()->text : std::string(); }
  capture::Progress progress() const override { return reader_->progress(); }

 private:
  std::unique_ptr<capture::RecordReader> reader_;
};

}  // namespace iwarp::cli
