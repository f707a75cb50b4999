// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/follow_source.hpp"

#include "models/growing_file.hpp"

namespace iwarp::gui {
namespace {

// The reader knows the pipe, people know the file.
std::string with_name(std::string sentence, const std::string& pipe, const std::string& path) {
  if (const auto at = sentence.find(pipe); at != std::string::npos) sentence.replace(at, pipe.size(), path);
  return sentence;
}

class FollowSource final : public RecordSource {
 public:
  FollowSource(std::string path, std::unique_ptr<GrowingFile> file,
               std::shared_ptr<capture::FrameIndex> index, std::unique_ptr<capture::RecordReader> reader)
      : path_(std::move(path)),
        file_(std::move(file)),
        frames_(path_, std::move(index)),
        reader_(std::move(reader)) {}

  Next next(capture::Record& record) override {
    if (reader_->next(record)) return Next::record;
    damage_ = reader_->damage();
    if (const std::string why = file_->why_ended(); !why.empty()) {
      damage_ = capture::Damage{.text = path_ + ": " + why, .offset = {}};
    } else if (damage_) {
      damage_->text = with_name(damage_->text, file_->pipe_path(), path_);
    }
    return Next::end;
  }
  const std::optional<capture::Damage>& damage() const noexcept override { return damage_; }
  capture::Progress progress() const noexcept override { return reader_->progress(); }
  bool frame(FrameNumber number, capture::Record& record, std::string& error) override {
    return frames_.read(number, record, error);
  }

 private:
  const std::string path_;
  const std::unique_ptr<GrowingFile> file_;
  FileFrames frames_;  // offsets in the pipe are those in the file
  const std::unique_ptr<capture::RecordReader> reader_;
  std::optional<capture::Damage> damage_;
};

}  // namespace

OpenSource follow_source(std::string path) {
  return [path = std::move(path)](std::string& error,
                                  std::function<bool()> cancelled) -> std::unique_ptr<RecordSource> {
    auto file = GrowingFile::open(path, error);
    if (file == nullptr) return nullptr;
    auto index = std::make_shared<capture::FrameIndex>();
    auto reader = capture::RecordReader::open(file->pipe_path(), error, std::move(cancelled), index);
    if (reader == nullptr) {
      error = with_name(error, file->pipe_path(), path);
      return nullptr;
    }
    return std::make_unique<FollowSource>(path, std::move(file), std::move(index), std::move(reader));
  };
}

}  // namespace iwarp::gui
