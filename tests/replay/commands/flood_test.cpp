// A live peer that sends without end: the run ends in good order, with a sentence.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "replay/commands/command_called.hpp"
#include "support/octets.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

class Flood : public CommandTest {
 protected:
  // The port at which the run listens, as it says.
  int port() {
    for (int tries = 0; tries < 1000; ++tries) {
      const std::string err = octets_of(file("err"));
      const std::size_t at = err.find("listening at 127.0.0.1:");
      if (at != std::string::npos && err.find('\n', at) != std::string::npos)
        return std::stoi(err.substr(at + sizeof "listening at 127.0.0.1:" - 1));
      ::usleep(10'000);
    }
    return 0;
  }

  // Starts up, and sends zero-length RDMA Writes until the connection is gone, or `most` octets are.
  std::size_t flood(std::size_t most) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const Bytes request = test::request_frame();
    EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    Byte reply[64];
    EXPECT_GT(::recv(socket, reply, sizeof reply, 0), 0);
    test::FpduStream stream;
    Bytes many;
    for (int i = 0; i < 1000; ++i) {
      const Bytes fpdu = stream.add(test::write(1, 0));
      many.insert(many.end(), fpdu.begin(), fpdu.end());
    }
    std::size_t sent = 0;
    while (sent < most) {
      const ssize_t count = ::send(socket, many.data(), many.size(), MSG_NOSIGNAL);
      if (count < static_cast<ssize_t>(many.size())) break;
      sent += many.size();
    }
    ::close(socket);
    return sent;
  }

  pid_t listen(const std::string& memory) {
    return begin_apart({"run", capture("real/01k-rping-v4-mpav1.pcap"), "--as", "responder", "--listen",
                        "127.0.0.1:0", "--max-memory", memory},
                       file("out"), file("err"));
  }
};

constexpr std::size_t too_much = 200U << 20U;

TEST_F(Flood, EndsTheRunWhereMemoryHasNoMoreRoom) {
  const pid_t run = listen("1");
  EXPECT_LT(flood(too_much), too_much);
  EXPECT_EQ(end_of(run), 1);
  EXPECT_THAT(
      octets_of(file("out")),
      HasSubstr(" requests and 0 findings, as many beyond the plan as --max-memory has room for: it was "
                "ended\n"));
}

TEST_F(Flood, CtrlCEndsTheRun) {
  const pid_t run = listen("1024");
  std::thread interrupts([&] {
    (void)port();
    ::usleep(300'000);
    ::kill(run, SIGINT);
  });
  EXPECT_LT(flood(too_much), too_much);
  interrupts.join();
  EXPECT_EQ(end_of(run), 1);  // it differs by then
}

}  // namespace
}  // namespace iwarp::replay
