// DeliveryStream: the Sends, Writes and Immediates of one connection until their deliveries are told.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <vector>

#include <iwarp/deliveries.hpp>
#include <iwarp/fifo.hpp>

namespace iwarp {

class DeliveryStream {
 public:
  // Appends to `told` what is told of with this event.
  void add(const Event& event, std::vector<Delivery>& told);
  // … of all that is left.
  void close(std::vector<Delivery>& told);

 private:
  struct Message {
    Delivery delivery;
    StreamOffset end = 0;  // behind its last octet
  };
  struct Request {
    std::uint32_t message = 0;
    bool concluded = false;  // before those in front of it
    StreamOffset end = 0;
  };
  struct Acknowledged {
    StreamOffset upto = 0;
    Placement by;
  };
  struct Sender {
    Fifo<Message> messages;      // in the order of their octets
    std::size_t settled = 0;     // the first of these: their acknowledgement is known, or never will be
    Fifo<Request> requests;      // that are outstanding, in that order too
    Fifo<Acknowledged> history;  // the last acknowledgements by the peer, which may come before a message is
                                 // known: it waits for octets of its own
    StreamOffset fpdu_end = 0;
  };

  void take_message(const Event& event, std::vector<Delivery>& told);
  static void take_acknowledgement(Sender& sender, const ReceivedFact& fact);
  static void take_response(Sender& sender, const OperationConclusion& operation,
                            std::vector<Delivery>& told);
  // Whatever needs no more waiting.
  static void tell_settled(Sender& sender, std::vector<Delivery>& told);
  static void tell_first(Sender& sender, std::vector<Delivery>& told);

  std::array<Sender, 2> senders_;  // by Side
};

}  // namespace iwarp
