// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/record_source.hpp"

#include <filesystem>
#include <system_error>

#include "models/kept_frames.hpp"

namespace iwarp::gui {
namespace {

class FileSource final : public RecordSource {
 public:
  FileSource(const std::string& path, std::shared_ptr<capture::FrameIndex> index,
             std::unique_ptr<capture::RecordReader> reader)
      : frames_(path, std::move(index)), reader_(std::move(reader)) {}

  Next next(capture::Record& record) override { return reader_->next(record) ? Next::record : Next::end; }
  const std::optional<capture::Damage>& damage() const noexcept override { return reader_->damage(); }
  capture::Progress progress() const noexcept override { return reader_->progress(); }
  bool frame(FrameNumber number, capture::Record& record, std::string& error) override {
    return frames_.read(number, record, error);
  }

 private:
  FileFrames frames_;
  const std::unique_ptr<capture::RecordReader> reader_;
};

bool comes_once(const std::string& path) {
  std::error_code unknown;
  const auto kind = std::filesystem::status(path, unknown).type();
  return path == "-" || kind == std::filesystem::file_type::fifo ||
         kind == std::filesystem::file_type::character;
}

OpenSource read_through(std::string path) {
  return [path = std::move(path)](std::string& error,
                                  std::function<bool()> cancelled) -> std::unique_ptr<RecordSource> {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) {
      error = path + ": is a directory; open one of the captures in it";
      return nullptr;
    }
    auto index = comes_once(path) ? nullptr : std::make_shared<capture::FrameIndex>();
    auto reader = capture::RecordReader::open(path, error, std::move(cancelled), index);
    if (reader == nullptr) return nullptr;
    return std::make_unique<FileSource>(path, std::move(index), std::move(reader));
  };
}

}  // namespace

bool FileFrames::read(FrameNumber number, capture::Record& record, std::string& error) {
  if (reader_ == nullptr) reader_ = capture::FrameReader::open(path_, index_, error);
  return reader_ != nullptr && reader_->read(number, record, error);
}

OpenSource file_source(std::string path) {
  const bool once = comes_once(path);
  OpenSource source = read_through(std::move(path));
  return once ? kept_source(std::move(source)) : source;
}

}  // namespace iwarp::gui
