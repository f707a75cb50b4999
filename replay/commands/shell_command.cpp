// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/shell_command.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>

#include "program/interrupt.hpp"
#include "transport/file_descriptor.hpp"

namespace iwarp::replay {
namespace {

// SIGPIPE is this program's affair: a writer in the line is to end when its reader does.
int spawn_shell(const std::string& line, pid_t& child) {
  std::string shell = "sh";
  std::string option = "-c";
  std::string words = line;
  char* const arguments[] = {shell.data(), option.data(), words.data(), nullptr};
  sigset_t restored;
  ::sigemptyset(&restored);
  ::sigaddset(&restored, SIGPIPE);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigdefault(&attributes, &restored);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&child, "/bin/sh", nullptr, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

ShellResult run_shell(const std::string& line) {
  ShellResult result;
  pid_t child = 0;
  if (const int error = spawn_shell(line, child); error != 0) {
    result.error = std::generic_category().message(error);
    return result;
  }
  // A signal that came just before poll(2) is seen when its time is over; where the kernel has no pidfd
  // (before Linux 5.3), the end of the child is, too.
  const FileDescriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const int milliseconds = ended.is_open() ? 100 : 5;
  bool told = false;
  while (::waitpid(child, &result.status, WNOHANG) == 0) {
    if (program::interrupted() && !told) {
      ::kill(child, SIGTERM);
      told = true;
    }
    pollfd waited{.fd = ended.get(), .events = POLLIN, .revents = 0};
    (void)::poll(&waited, 1, milliseconds);
  }
  result.interrupted = program::interrupted();
  return result;
}

}  // namespace iwarp::replay
