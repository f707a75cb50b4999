// GrowingFile: the octets of a file that grows, as a pipe: whoever reads it waits for more at the file's end.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace iwarp::gui {

class GrowingFile {
 public:
  // The file, opened; nothing where `error` says why not, in one sentence that names it.
  [[nodiscard]] static std::unique_ptr<GrowingFile> open(const std::string& path, std::string& error);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Where the octets can be read from, once, as long as this lives.
  [[nodiscard]] std::string pipe_path() const;

  // Why it grows no more; empty: it still may, or its reader ended it. Any thread.
  [[nodiscard]] const char* why_ended() const noexcept { return why_ended_.load(std::memory_order_acquire); }

 private:
  GrowingFile(std::string path, int file, int reader, int writer);
  void pump();
  [[nodiscard]] bool pass_on(const char* octets, std::size_t count) const;
  [[nodiscard]] const char* why_it_cannot_grow(std::uint64_t read_so_far) const;

  const std::string path_;
  const int file_;
  const int reader_;
  int writer_;  // the thread's, which closes it at the end
  std::atomic<bool> closing_{false};
  std::atomic<const char*> why_ended_{""};  // before the pipe is closed
  std::thread thread_;
};

}  // namespace iwarp::gui
