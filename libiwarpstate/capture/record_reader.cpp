// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/record_reader.hpp>

#include <utility>

#include "frame_index.hpp"
#include "input_buffer.hpp"
#include "open_format.hpp"

namespace iwarp::capture {
class RecordReader::Implementation {
 public:
  Implementation(std::unique_ptr<FormatReader> reader, std::shared_ptr<FrameIndex> index) noexcept
      : reader_(std::move(reader)), index_(std::move(index)) {}

  [[nodiscard]] bool next(Record& record) {
    if (ended_) return false;
    ended_ = !reader_->next(record);
    if (!ended_ && index_) index_->implementation().note(*reader_, record.number);
    return !ended_;
  }
  [[nodiscard]] const FormatReader& reader() const noexcept { return *reader_; }

 private:
  std::unique_ptr<FormatReader> reader_;
  std::shared_ptr<FrameIndex> index_;  // nullptr: nobody wants places
  bool ended_ = false;
};

RecordReader::RecordReader(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

RecordReader::~RecordReader() = default;

std::unique_ptr<RecordReader> RecordReader::start(std::unique_ptr<FormatReader> reader,
                                                  std::shared_ptr<FrameIndex> index, std::string& error) {
  if (!reader) return nullptr;
  if (!reader->start()) {
    error = reader->damage()->text;
    return nullptr;
  }
  auto implementation = std::make_unique<Implementation>(std::move(reader), std::move(index));
  return std::unique_ptr<RecordReader>(new RecordReader(std::move(implementation)));
}

std::unique_ptr<RecordReader> RecordReader::open(const std::string& path, std::string& error,
                                                 std::function<bool()> cancelled,
                                                 std::shared_ptr<FrameIndex> index, bool decompress_ahead) {
  const std::string name = path == "-" ? "standard input" : path;
  auto source = open_file(path, error, cancelled);
  if (!source) {
    error = name + ": " + error;
    return nullptr;
  }
  if (index) index->implementation().set_file(path);
  decompress_ahead = decompress_ahead && source->size().has_value();  // a pipe's writer may be slow
  auto reader = open_format(InputBuffer(std::move(source)), name, error, decompress_ahead);
  if (reader) reader->set_cancelled(std::move(cancelled));
  return start(std::move(reader), std::move(index), error);
}

std::unique_ptr<RecordReader> RecordReader::open_memory(ByteView octets, const std::string& name,
                                                        std::string& error) {
  return start(open_format(InputBuffer(octets), name, error), nullptr, error);
}

bool RecordReader::next(Record& record) {
  return implementation_->next(record);
}

std::shared_ptr<const void> RecordReader::storage() const noexcept {
  return implementation_->reader().input().storage();
}

const void* RecordReader::storage_address() const noexcept {
  return implementation_->reader().input().storage_address();
}

const std::optional<Damage>& RecordReader::damage() const noexcept {
  return implementation_->reader().damage();
}

Progress RecordReader::progress() const noexcept {
  return implementation_->reader().progress();
}

}  // namespace iwarp::capture
