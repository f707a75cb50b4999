// A file, pipe or terminal as a ByteSource.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <poll.h>
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

constexpr int asked_every_ms = 100;  // whether to go on waiting

std::string error_text(int number) {
  return std::generic_category().message(number);
}

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, bool owned, std::function<bool()> cancelled, std::uint64_t from = 0) noexcept
      : descriptor_(descriptor), owned_(owned), cancelled_(std::move(cancelled)), consumed_(from) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override {
    if (owned_) ::close(descriptor_);
  }

  std::size_t read(Byte* to, std::size_t room) override {
    // Linux transfers at most 2 GiB - 4 KiB in one call; ask for less than that.
    room = std::min(room, std::size_t{1} << 30);
    while (wait_for_octets()) {
      const ssize_t got = ::read(descriptor_, to, room);
      if (got >= 0) {
        consumed_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno == EINTR || errno == EAGAIN) continue;
      fail("cannot be read at " + hex_offset(consumed_) + ": " + error_text(errno));
      return 0;
    }
    fail("interrupted");
    return 0;
  }

  std::uint64_t consumed() const noexcept override { return consumed_; }

  std::optional<std::uint64_t> size() const noexcept override {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  // Until there are some, or the end, or an error. False: cancelled before. A signal need not end poll(2): it
  // may come just before, or to another thread.
  [[nodiscard]] bool wait_for_octets() const {
    pollfd waited{.fd = descriptor_, .events = POLLIN, .revents = 0};
    for (;;) {
      const int ready = ::poll(&waited, 1, cancelled_ ? asked_every_ms : -1);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
      if (cancelled_ && cancelled_()) return false;
    }
  }

  int descriptor_;
  bool owned_;
  std::function<bool()> cancelled_;
  std::uint64_t consumed_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path, std::string& error,
                                      std::function<bool()> cancelled, std::uint64_t from) {
  if (path == "-") return std::make_unique<FileSource>(STDIN_FILENO, false, std::move(cancelled));
  int descriptor;
  do {  // O_NONBLOCK: the writer of a FIFO is waited for where it is read
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) {
    error = error_text(errno);
    return nullptr;
  }
  if (from != 0 && ::lseek(descriptor, static_cast<off_t>(from), SEEK_SET) < 0) {
    error = error_text(errno);
    ::close(descriptor);
    return nullptr;
  }
  // A hint only: the result does not matter, pipes refuse it.
  static_cast<void>(::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL));
  return std::make_unique<FileSource>(descriptor, true, std::move(cancelled), from);
}

std::optional<FileIdentity> identify_file(const std::string& path) noexcept {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  FileIdentity identity{.device = status.st_dev, .number = status.st_ino};
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return identity;
  const ssize_t got = ::pread(descriptor, identity.beginning.data(), identity.beginning.size(), 0);
  ::close(descriptor);
  if (got > 0) identity.begun = static_cast<std::size_t>(got);
  return identity;
}

std::string hex_offset(std::uint64_t offset) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, offset, 16).ptr;
  return "0x" + std::string(digits, end);
}

}  // namespace iwarp::capture
