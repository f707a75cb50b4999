// What finds a port that listens and is no peer: scanners, other protocols, the half of a start-up. A good
// client plays among them as if it were alone.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "replay/commands/command_called.hpp"
#include "support/octets.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;

class Noise : public CommandTest {
 protected:
  // The run, and the port that it says it listens at.
  void listen(const std::string& name, const std::vector<std::string>& more = {},
              const std::string& patience = "20s") {
    std::vector<std::string> words = {"run",         capture(name), "--as",   "responder", "--listen",
                                      "127.0.0.1:0", "--patience",  patience, "--timing",  "topspeed"};
    words.insert(words.end(), more.begin(), more.end());
    std::filesystem::remove(file("err"));
    run_ = begin_apart(words, file("out"), file("err"));
    port_ = listening_port(file("err"));
  }

  Ended good_client(const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"run",        capture(name),   "--as",
                                      "initiator",  "--connect",     "127.0.0.1:" + std::to_string(port_),
                                      "--patience", "20s",           "--timing",
                                      "topspeed",   "--start-delay", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  }

  [[nodiscard]] int connected() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return socket;
    ::close(socket);
    return -1;
  }

  static void say(int socket, const Bytes& octets) {
    (void)::send(socket, octets.data(), octets.size(), MSG_NOSIGNAL);
  }

  // One connection of the kind; those that stay open go into `open`.
  void make(int kind, std::vector<int>& open) const {
    const int socket = connected();
    if (socket < 0) return;
    const Bytes request = test::request_frame({.length = 512});
    bool stays = false;
    switch (kind) {
      case 0: break;  // closed at once
      case 1: {       // reset
        const linger hard{1, 0};
        ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        break;
      }
      case 2: say(socket, test::text("GET / HTTP/1.1\r\nHost: a\r\n\r\n")); break;
      case 3: say(socket, Bytes{0x16, 3, 1, 2, 0, 1, 0, 1}); break;  // TLS
      case 4: say(socket, Bytes(4096, 0)); break;
      case 5: say(socket, Bytes(request.begin(), request.begin() + 10)); break;
      case 6: stays = true; break;  // nothing
      case 7:                       // the half of a Request
        say(socket, Bytes(request.begin(), request.begin() + 19));
        stays = true;
        break;
      case 8:  // without its Private Data
        say(socket, request);
        stays = true;
        break;
      default:  // octet by octet
        for (std::size_t i = 0; i < 3; ++i) say(socket, Bytes{request[i]});
        stays = true;
        break;
    }
    if (stays) {
      open.push_back(socket);
    } else {
      ::close(socket);
    }
  }

  static constexpr int kinds = 10;
  pid_t run_ = 0;
  int port_ = 0;
};

// Copies, since which connection of a crowd is accepted first is not the client's to say.
TEST_F(Noise, TakesNoStreamFromAGoodClient) {
  const std::string name = "real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz";
  const std::vector<std::string> fifty = {"--stream", "0", "--copies", "50"};
  listen(name, fifty);
  std::vector<int> open;
  constexpr int before = 300;
  for (int i = 0; i < before; ++i) make(i % kinds, open);
  std::atomic<bool> over = false;
  std::atomic<int> made = before;
  std::thread noise([&] {
    while (made < 1000 && !over) make(made++ % kinds, open);
  });
  const Ended client = good_client(name, fifty);
  over = true;
  noise.join();
  EXPECT_EQ(client.status, 0) << client.out.substr(0, 2000) << client.err;
  EXPECT_EQ(end_of(run_), 0) << octets_of(file("out")).substr(0, 2000) << octets_of(file("err"));
  const std::string err = octets_of(file("err"));
  EXPECT_THAT(err, HasSubstr(" closed without a whole MPA Request, the first from 127.0.0.1:"));
  EXPECT_THAT(err, HasSubstr(" with something else than an MPA Request, the first from 127.0.0.1:"));
  for (const int socket : open) ::close(socket);
}

// Some hundred wait at most, and each not for long.
TEST_F(Noise, HundredsThatSayNothingGiveWay) {
  listen(rping_capture);
  std::vector<int> open;
  for (int i = 0; i < 400; ++i) make(i % 2 == 0 ? 6 : 8, open);
  const Ended client = good_client(rping_capture);
  EXPECT_EQ(client.status, 0) << client.out.substr(0, 2000) << client.err;
  EXPECT_EQ(end_of(run_), 0) << octets_of(file("out")).substr(0, 2000);
  EXPECT_THAT(octets_of(file("err")), HasSubstr(" because too many waited, the first from 127.0.0.1:"));
  for (const int socket : open) ::close(socket);
}

TEST_F(Noise, OnlyThoseThatMayComeAreServed) {
  listen(rping_capture, {"--accept-only", "192.0.2.1", "--accept-only", "127.0.0.1"});
  EXPECT_EQ(good_client(rping_capture).status, 0);
  EXPECT_EQ(end_of(run_), 0);

  port_ = 0;
  listen(rping_capture, {"--accept-only", "192.0.2.1"}, "1s");
  EXPECT_NE(good_client(rping_capture).status, 0);
  EXPECT_EQ(end_of(run_), 2);
  EXPECT_THAT(octets_of(file("err")),
              HasSubstr("before --patience was over; turned away: 1 connection from an address that "
                        "--accept-only leaves out, the first from 127.0.0.1:"));
  EXPECT_THAT(call({"run", capture(rping_capture), "--loopback", "--accept-only", "192.0.2.1"}).err,
              HasSubstr("--accept-only is for the soft-RNIC that listens"));
}

// A Request whose key is wrong is a peer's fault, which is said.
TEST_F(Noise, ABrokenRequestIsAPeers) {
  listen(rping_capture, {}, "1s");
  Bytes request = test::request_frame();
  request[12] ^= 1;
  const int socket = connected();
  say(socket, request);
  EXPECT_EQ(end_of(run_), 1);
  EXPECT_THAT(octets_of(file("out")),
              HasSubstr("stream 0: the peer sends no MPA Request that could be taken"));
  ::close(socket);
}

}  // namespace
}  // namespace iwarp::replay
