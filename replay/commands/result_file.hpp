// Files, or standard output, that results go to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace iwarp::replay {

// Neither what is read nor another result may be written over: true, and `error` says so of `option`. Devices
// and pipes may; "-" is standard input, or output.
[[nodiscard]] bool overwrites(const char* option, const std::string& path, const std::string& other,
                              std::string& error);

// … any of these.
[[nodiscard]] bool overwrites_any(const char* option, const std::string& path,
                                  const std::vector<std::string>& others, std::string& error);

// Opened before the work, so that nobody waits an hour for a result that cannot be written; what the file had
// stays until there is one.
class ResultFile {
 public:
  ResultFile() = default;
  // A file that was made and got nothing goes again.
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  // "-": standard output. False: `error` says why not.
  [[nodiscard]] bool open(const std::string& path, std::string& error);
  // The first time instead of what the file had. False: it is not written whole, now or earlier.
  bool write(std::string_view octets);
  // Why not; empty where all went well, and where the reader of standard output went away.
  [[nodiscard]] std::string failure() const;

 private:
  std::string path_ = {};
  int descriptor_ = -1;
  bool made_ = false;
  bool begun_ = false;
  int error_ = 0;
};

// The same for std::ostream; unlike std::filebuf it leaves what it holds to who calls pubsync().
class ResultBuffer final : public std::streambuf {
 public:
  // REQUIRES: `file` is open, and outlives this object.
  explicit ResultBuffer(ResultFile& file) : file_(file) {}

  // Whether it leaves the file alone, however much comes, until then or pubsync().
  void hold(bool all) { hold_ = all; }

 protected:
  int_type overflow(int_type octet) override;
  std::streamsize xsputn(const char* octets, std::streamsize count) override;
  int sync() override;

 private:
  ResultFile& file_;
  std::string held_ = {};
  bool hold_ = false;
};

}  // namespace iwarp::replay
