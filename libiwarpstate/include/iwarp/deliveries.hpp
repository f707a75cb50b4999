// Deliveries: how long the Sends, RDMA Writes and Immediates of a capture took, as far as the wire tells.
//
//   DeliveryTracker tracker;  // options.acknowledgements = true
//   for (const Event& event : analyzer.add(segment)) {
//     tracker.add(event, connection);
//     for (const Delivery& delivery : tracker.deliveries()) …
//   }
//
// Nobody answers such a message (RFC 5040 §5.5, item 9). What is known of it: when it was sent; when the
// receiver's TCP acknowledged it, which says nothing of its buffers; and that it was delivered before the
// response to a Read or Atomic was made whose request the same end sent behind it (item 17, and RFC 7306
// §5.4, item 5). A delivery is told when it is proven; or when the message is acknowledged and no request
// behind it is outstanding; or when its stream closes. Messages of which octets were not captured are none.
//
// Memory: 96 octets each message that is not told of yet, 4096 of a side at most, and 16 each request.
// Threads: none of its own; one thread adds. Throws what allocation throws.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <iwarp/by_connection.hpp>
#include <iwarp/event.hpp>
#include <iwarp/state.hpp>

namespace iwarp {
class DeliveryStream;  // not exported
}

#pragma GCC visibility push(default)
namespace iwarp {

struct Delivery {
  ConnectionId stream = 0;
  Side side = Side::a;  // that sent it
  Role from = Role::initiator;
  OperationKind kind = OperationKind::send;  // or write, immediate
  std::uint32_t message = 0;                 // MessageConclusion::number
  std::uint64_t length = 0;
  Placement begun;         // its first FPDU
  Placement placed;        // its last octet
  Placement acknowledged;  // all of it, by this segment; frame 0: that was not captured
  Placement proven;        // the first segment of the response that proves it delivered; frame 0: none does

  // From the first FPDU on; nothing where what they need was not captured, or stands in the capture before
  // the message: the directions are out of step, or its clock ran backward.
  [[nodiscard]] std::optional<TimeNs> sent_ns() const noexcept { return since_begun(placed, begun); }
  [[nodiscard]] std::optional<TimeNs> acknowledged_ns() const noexcept {
    return since_begun(acknowledged, placed);
  }
  [[nodiscard]] std::optional<TimeNs> proven_ns() const noexcept { return since_begun(proven, placed); }

 private:
  [[nodiscard]] std::optional<TimeNs> since_begun(const Placement& moment,
                                                  const Placement& least) const noexcept {
    if (moment.frame == 0 || moment.time_ns < std::max(begun.time_ns, least.time_ns)) return std::nullopt;
    return moment.time_ns - begun.time_ns;
  }
};

class DeliveryTracker {
 public:
  DeliveryTracker();
  ~DeliveryTracker();
  DeliveryTracker(DeliveryTracker&&) noexcept;
  DeliveryTracker& operator=(DeliveryTracker&&) noexcept;

  // Takes every event, in the order of the log, of an analysis with AnalyzerOptions::acknowledgements.
  // `connection` is that of the event, nullptr when no longer followed.
  void add(const Event& event, const ConnectionState* connection);
  // That the event told, until the next add().
  [[nodiscard]] std::span<const Delivery> deliveries() const noexcept { return told_; }

 private:
  ByConnection<DeliveryStream> streams_;
  std::vector<Delivery> told_;
};

}  // namespace iwarp
#pragma GCC visibility pop
