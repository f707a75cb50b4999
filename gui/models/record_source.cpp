// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/record_source.hpp"

#include <filesystem>
#include <system_error>

namespace iwarp::gui {
namespace {

class FileSource final : public RecordSource {
 public:
  FileSource(std::string path, std::shared_ptr<capture::FrameIndex> index,
             std::unique_ptr<capture::RecordReader> reader)
      : path_(std::move(path)), index_(std::move(index)), reader_(std::move(reader)) {}

  Next next(capture::Record& record) override { return reader_->next(record) ? Next::record : Next::end; }
  const std::optional<capture::Damage>& damage() const noexcept override { return reader_->damage(); }
  capture::Progress progress() const noexcept override { return reader_->progress(); }
  std::unique_ptr<capture::FrameReader> frame_reader(std::string& error) const override {
    if (index_ != nullptr) return capture::FrameReader::open(path_, index_, error);
    error = "frames of standard input cannot be read again; save it as a file and open that";
    return nullptr;
  }

 private:
  const std::string path_;
  const std::shared_ptr<capture::FrameIndex> index_;  // nothing: a pipe
  const std::unique_ptr<capture::RecordReader> reader_;
};

}  // namespace

OpenSource file_source(std::string path) {
  return [path = std::move(path)](std::string& error,
                                  std::function<bool()> cancelled) -> std::unique_ptr<RecordSource> {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) {
      error = path + ": is a directory; open one of the captures in it";
      return nullptr;
    }
    auto index = path == "-" ? nullptr : std::make_shared<capture::FrameIndex>();
    auto reader = capture::RecordReader::open(path, error, std::move(cancelled), index);
    if (reader == nullptr) return nullptr;
    return std::make_unique<FileSource>(path, std::move(index), std::move(reader));
  };
}

}  // namespace iwarp::gui
