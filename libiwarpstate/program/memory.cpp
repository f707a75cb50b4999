// What Linux tells of memory: /proc/self/statm, limits, control groups.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/memory.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "program/exit_status.hpp"
#include "program/standard_output.hpp"

namespace iwarp::program {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t reserve_size = 16U << 20U;
constexpr std::size_t last_size = 2U << 20U;

std::mutex reserve_mutex;
void* reserve = nullptr;  // under reserve_mutex, as is what is left for the last words:
void* last_reserve = nullptr;
std::atomic<bool> ran_out{false};
const char* program_name = "";
std::terminate_handler before = nullptr;

// The beginning of a small file of the system's; empty where there is none.
std::string_view read_start(const char* path, std::array<char, 128>& buffer) noexcept {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = ::read(file, buffer.data(), buffer.size());
  ::close(file);
  return size > 0 ? std::string_view(buffer.data(), static_cast<std::size_t>(size)) : std::string_view();
}

std::size_t number_in(std::string_view text, std::size_t otherwise) noexcept {
  std::size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? number : otherwise;
}

// What `ulimit -v` leaves to the program.
std::size_t address_space() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return limit.rlim_cur;
}

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// Called where an allocation fails, which is tried again when this returns. Must not allocate.
void use_reserve() {
  {
    // An allocation of this thread failed before; not before another gave the reserve up, maybe.
    static thread_local bool failed = false;
    const std::lock_guard lock(reserve_mutex);
    const bool again = std::exchange(failed, true);
    if (void* const kept = std::exchange(reserve, nullptr)) {
      ran_out.store(true, std::memory_order_relaxed);
      std::free(kept);
      return;
    }
    if (!again) return;
    std::free(std::exchange(last_reserve, nullptr));
  }
  throw std::bad_alloc();
}

// std::terminate's. Must not allocate.
[[noreturn]] void end_without_memory() noexcept {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view sentence =
        ": out of memory, and what was known could not be printed any more; --max-memory sets a limit before "
        "that\n";
    static_cast<void>(write_whole(STDERR_FILENO, program_name));
    static_cast<void>(write_whole(STDERR_FILENO, sentence));
    ::_exit(exit_failed);
  } catch (...) {
    if (before != nullptr) before();
  }
  std::abort();
}

}  // namespace

std::size_t memory_in_use() noexcept {
  std::array<char, 128> buffer;
  const std::string_view all =
      read_start("/proc/self/statm", buffer);  // "size resident shared ...", in pages
  const std::size_t resident = all.find(' ');
  return resident == std::string_view::npos ? 0 : number_in(all.substr(resident + 1), 0) * page_size();
}

std::size_t default_memory_limit() noexcept {
  std::size_t least = address_space();
  if (const long pages = ::sysconf(_SC_PHYS_PAGES); pages > 0)
    least = std::min(least, static_cast<std::size_t>(pages) * page_size());
  std::array<char, 128> buffer;
  least = std::min(least, number_in(read_start("/sys/fs/cgroup/memory.max", buffer), unlimited));  // or "max"
  return least == unlimited ? unlimited : least / 2;
}

void return_free_memory() noexcept {
  ::malloc_trim(0);
}

void keep_memory_reserve(const char* program) {
  // glibc takes 64 MiB of addresses at a time for each thread: where they are few, one heap serves all.
  if (address_space() != unlimited) ::mallopt(M_ARENA_MAX, 1);
  program_name = program;
  reserve = std::malloc(reserve_size);
  last_reserve = std::malloc(last_size);
  std::set_new_handler(use_reserve);
  before = std::set_terminate(end_without_memory);
}

bool memory_ran_out() noexcept {
  return ran_out.load(std::memory_order_relaxed);
}

}  // namespace iwarp::program
