// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/result_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "program/standard_output.hpp"

namespace iwarp::replay {
namespace {

constexpr std::size_t held_at_most = std::size_t{64} << 10U;
constexpr mode_t readable_by_all = 0666;  // as far as the umask allows

std::string text_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

bool overwrites(const char* option, const std::string& path, const std::string& other, std::string& error) {
  if (path.empty() || path == "-") return false;
  std::error_code not_there;
  const std::string read = other == "-" ? "/dev/stdin" : other;
  if (path != other && !std::filesystem::equivalent(path, read, not_there)) return false;
  if (std::filesystem::is_other(path, not_there)) return false;
  error = std::string(option) + " " + path + " is the same file as " +
          (other == "-" ? "standard input" : other) + ", which it would overwrite";
  return true;
}

bool overwrites_any(const char* option, const std::string& path, const std::vector<std::string>& others,
                    std::string& error) {
  return std::ranges::any_of(others,
                             [&](const std::string& each) { return overwrites(option, path, each, error); });
}

ResultFile::~ResultFile() {
  if (descriptor_ >= 0 && path_ != "-") ::close(descriptor_);
  if (made_ && !begun_) ::unlink(path_.c_str());
}

bool ResultFile::open(const std::string& path, std::string& error) {
  path_ = path;
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    return true;
  }
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all);
  made_ = descriptor_ >= 0;
  if (!made_)
    descriptor_ = program::open_to_write(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, readable_by_all);
  if (descriptor_ < 0) error = path + " cannot be written: " + text_of(errno);
  return descriptor_ >= 0;
}

bool ResultFile::write(std::string_view octets) {
  // Neither pipes nor devices have a length, and standard output may be behind something.
  if (!begun_ && path_ != "-" && ::ftruncate(descriptor_, 0) != 0 && errno != EINVAL) error_ = errno;
  begun_ = true;
  if (error_ == 0) error_ = program::write_whole(descriptor_, octets);
  return error_ == 0;
}

std::string ResultFile::failure() const {
  if (path_ == "-") return program::standard_output_failure(error_);
  return error_ == 0 ? std::string() : path_ + " cannot be written: " + text_of(error_);
}

ResultBuffer::int_type ResultBuffer::overflow(int_type octet) {
  if (traits_type::eq_int_type(octet, traits_type::eof())) return traits_type::not_eof(octet);
  const char one = traits_type::to_char_type(octet);
  return xsputn(&one, 1) == 1 ? octet : traits_type::eof();
}

std::streamsize ResultBuffer::xsputn(const char* octets, std::streamsize count) {
  held_.append(octets, static_cast<std::size_t>(count));
  return hold_ || held_.size() < held_at_most || sync() == 0 ? count : 0;
}

int ResultBuffer::sync() {
  const bool written = held_.empty() || file_.write(held_);
  held_.clear();
  return written ? 0 : -1;
}

}  // namespace iwarp::replay
