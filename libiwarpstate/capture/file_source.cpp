// A file, pipe or terminal as a ByteSource.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "byte_source.hpp"

namespace iwarp::capture {
namespace {

std::string error_text(int number) {
  return std::generic_category().message(number);
}

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, bool owned, std::function<bool()> cancelled) noexcept
      : descriptor_(descriptor), owned_(owned), cancelled_(std::move(cancelled)) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override {
    if (owned_) ::close(descriptor_);
  }

  std::size_t read(Byte* to, std::size_t room) override {
    // Linux transfers at most 2 GiB - 4 KiB in one call; ask for less than that.
    room = std::min(room, std::size_t{1} << 30);
    ssize_t got;
    do {
      got = ::read(descriptor_, to, room);
    } while (got < 0 && errno == EINTR && !(cancelled_ && cancelled_()));
    if (got < 0 && errno == EINTR) {
      fail("interrupted");
      return 0;
    }
    if (got < 0) {
      fail("cannot be read at " + hex_offset(consumed_) + ": " + error_text(errno));
      return 0;
    }
    consumed_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }

  std::uint64_t consumed() const noexcept override { return consumed_; }

  std::optional<std::uint64_t> size() const noexcept override {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  int descriptor_;
  bool owned_;
  std::function<bool()> cancelled_;
  std::uint64_t consumed_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path, std::string& error,
                                      std::function<bool()> cancelled) {
  if (path == "-") return std::make_unique<FileSource>(STDIN_FILENO, false, std::move(cancelled));
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) {
    error = error_text(errno);
    return nullptr;
  }
  // A hint only: the result does not matter, pipes refuse it.
  static_cast<void>(::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL));
  return std::make_unique<FileSource>(descriptor, true, std::move(cancelled));
}

std::string hex_offset(std::uint64_t offset) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, offset, 16).ptr;
  return "0x" + std::string(digits, end);
}

}  // namespace iwarp::capture
