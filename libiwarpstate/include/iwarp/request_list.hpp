// RequestList: the Read and Atomic Requests of one side whose responses are due, oldest first.
//
// Responses come in that order (RFC 5040 §5.5 (20), RFC 7306 §5.4 (8)), so most of the time the front is all
// that is asked for. Where they do not, requests are looked for by what they asked for; that costs the same
// however many wait: behind a few there is an index. Copyable, so that states can be snapshots; empty without
// memory.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include <iwarp/ids.hpp>
#include <iwarp/on_demand.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

enum class RequestKind : std::uint8_t {
  read,
  atomic
};

// A Read or Atomic Request without its complete response.
struct Request {
  RequestKind kind = RequestKind::read;
  bool retransmitted = false;
  bool response_begun = false;
  bool partial = false;              // its RDMAP header was cut …
  std::uint8_t header_octets = 0;    // … behind so many octets: fields beyond are zero
  bool unseen = false;               // lay in a hole; known by the MSNs around it
  bool ambiguous = false;            // its response may have been missed and this one be another's
  bool response_start_seen = false;  // first_response is that of the response's first segment
  Placement placed;
  StreamOffset end_offset = 0;  // behind its FPDU, in the requester's direction
  std::uint32_t msn = 0;
  std::uint32_t message = 0;           // MessageConclusion::number …
  std::uint32_t response_message = 0;  // … and that of its response; 0: nothing of it came
  std::uint32_t size = 0;              // octets asked for; 8 for an atomic
  std::uint64_t sink_to = 0;
  std::uint64_t source_to = 0;  // atomic: remote TO
  std::uint32_t sink_stag = 0;
  std::uint32_t source_stag = 0;  // atomic: remote STag
  std::uint32_t request_id = 0;   // atomic
  std::uint32_t outstanding = 0;  // when issued, itself included; 0: not known
  std::uint64_t received = 0;
  std::uint32_t holes = 0;                   // SideState::holes of the responder then, cut to 32 bits
  Placement first_response;                  // of the first segment that was seen
  std::uint64_t first_response_segment = 0;  // SideState::recent_count of its sender then
  // MessageConclusion::number of the response to a later request that came first, reported as out of turn;
  // 0: none did. The response to this one may be late, or lacking; others are in turn without it.
  std::uint32_t overtaken_by = 0;

  // Octets asked for; nothing where the field was not captured.
  [[nodiscard]] std::optional<std::uint32_t> known_size() const noexcept {
    constexpr std::uint8_t size_end = 16;  // RFC 5040 §4.4
    if (unseen || (kind == RequestKind::read && partial && header_octets < size_end)) return std::nullopt;
    return size;
  }
};

// What a response repeats of its request: of a Read sink STag and TO, or that it asks for nothing; of an
// atomic the request identifier.
struct RequestKey {
  enum class Kind : std::uint8_t {
    read,
    empty_read,
    atomic
  } kind = Kind::read;
  std::uint32_t name = 0;  // STag or identifier
  std::uint64_t to = 0;

  bool operator==(const RequestKey&) const = default;
};
// Nothing where not all of it is known.
[[nodiscard]] std::optional<RequestKey> key_of(const Request& request) noexcept;

class RequestList {
 public:
  // Where a request stands: behind all of a lesser place. Until the list changes otherwise than by
  // pop_front().
  using Place = std::uint64_t;
  static constexpr Place none = ~Place{0};

  // Which request is asked for.
  enum class Which : std::uint8_t {
    seen_read,    // in turn, too
    seen_atomic,  // likewise
    unseen,
    vague,    // without a RequestKey; unseen ones are
    certain,  // seen, not ambiguous, and in turn
    in_turn,  // not overtaken
  };
  static constexpr std::size_t which_count = 6;

 private:
  struct Item {
    Request request;
    Place same = none;  // the next one that asks for the same, gone or not
    bool gone = false;
  };

 public:
  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Request;
    using difference_type = std::ptrdiff_t;
    using pointer = const Request*;
    using reference = const Request&;

    const_iterator() = default;
    reference operator*() const noexcept { return at_->request; }
    pointer operator->() const noexcept { return &at_->request; }
    const_iterator& operator++() noexcept {
      ++at_;
      skip_gone();
      return *this;
    }
    const_iterator operator++(int) noexcept {
      const const_iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const const_iterator& other) const noexcept { return at_ == other.at_; }

   private:
    friend class RequestList;
    const_iterator(const Item* at, const Item* end) noexcept : at_(at), end_(end) { skip_gone(); }
    void skip_gone() noexcept {
      while (at_ != end_ && at_->gone) ++at_;
    }
    const Item* at_ = nullptr;
    const Item* end_ = nullptr;
  };

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const_iterator begin() const noexcept {
    return {items_.data() + head_, items_.data() + items_.size()};
  }
  [[nodiscard]] const_iterator end() const noexcept {
    return {items_.data() + items_.size(), items_.data() + items_.size()};
  }

  // REQUIRES for these: !empty().
  [[nodiscard]] Request& front() noexcept { return items_[head_].request; }
  [[nodiscard]] const Request& front() const noexcept { return items_[head_].request; }
  [[nodiscard]] Request& back() noexcept;
  [[nodiscard]] Place front_place() const noexcept { return base_ + head_; }
  void pop_front() noexcept;

  // The request at a place that one of the functions below returned.
  [[nodiscard]] Request& operator[](Place place) noexcept { return items_[place - base_].request; }
  [[nodiscard]] const Request& operator[](Place place) const noexcept {
    return items_[place - base_].request;
  }

  void push_back(const Request& request);
  void erase(Place place);
  // It becomes the oldest.
  void move_to_front(Place place);
  // It was known by its MSN alone, and is `request`.
  void fill_in(Place place, const Request& request);
  void clear() noexcept;

  // The first that asks for this; `behind_front`: that is not the oldest. `none` when there is no such one.
  [[nodiscard]] Place find(const RequestKey& key, bool behind_front = false) noexcept;
  [[nodiscard]] Place first(Which which) noexcept;
  // Reads that ask for all of these `length` octets at `to` of the data sink's `stag`.
  struct Containing {
    Place first = none;
    Place second = none;
    bool more = false;  // only the oldest were looked at, there may be others
  };
  [[nodiscard]] Containing find_containing(std::uint32_t stag, std::uint64_t to, std::uint32_t length,
                                           bool behind_front) const noexcept;
  // The one behind; `none` when there is none.
  [[nodiscard]] Place next(Place place) const noexcept;
  // Of a request of this list.
  [[nodiscard]] Place place_of(const Request& request) const noexcept;
  // How many stand before it, as far as those are `most` at most.
  [[nodiscard]] std::optional<std::uint32_t> count_before(Place place, std::uint32_t most) const noexcept;

  // Calls visit(Request&) for those whose FPDUs end in (begin, end].
  template <typename Visit>
  void for_each_ended_in(StreamOffset begin, StreamOffset end, Visit visit) {
    // In order of their FPDUs, but for those moved to the front.
    std::size_t at = head_;
    for (; at < items_.size() && base_ + at < moved_end_; ++at) visit_ended(items_[at], begin, end, visit);
    for (at = first_ending_behind(at, begin); at < items_.size(); ++at) {
      if (items_[at].request.end_offset > end) return;
      visit_ended(items_[at], begin, end, visit);
    }
  }

 private:
  static constexpr std::size_t few = 32;  // are looked through without an index
  static constexpr Place first_place = Place{1} << 32U;

  struct Chain {
    std::optional<RequestKey> key;
    Place first = none;  // none: all are gone
    Place last = none;
  };
  struct Index {
    std::vector<Chain> chains;  // open addressing by key; a power of two
    std::size_t used = 0;
    // Before these places, and behind moved_end_, there is none of the kind.
    std::array<Place, which_count> from{};
  };

  template <typename Visit>
  static void visit_ended(Item& item, StreamOffset begin, StreamOffset end, Visit& visit) {
    const Request& request = item.request;
    if (!item.gone && request.end_offset > begin && request.end_offset <= end) visit(item.request);
  }
  [[nodiscard]] Item& item(Place place) noexcept { return items_[place - base_]; }
  [[nodiscard]] Place end_place() const noexcept { return base_ + items_.size(); }
  [[nodiscard]] std::size_t first_ending_behind(std::size_t from, StreamOffset offset) const noexcept;
  [[nodiscard]] Place next_live(Place place) const noexcept;
  void drop_gone_front() noexcept;
  void tidy_if_worth_it();
  void make_room_in_front();
  void tidy();
  void build_index();
  [[nodiscard]] Chain& chain_of(Index& index, const RequestKey& key) noexcept;
  void link(Index& index, Place place);
  void link_in_front(Index& index, Place place);
  void unlink_front(Place place) noexcept;

  std::vector<Item> items_;
  std::size_t head_ = 0;           // of items_: the oldest
  std::size_t size_ = 0;           // without those gone
  Place base_ = first_place;       // of items_[0]
  Place moved_end_ = first_place;  // those before were moved to the front
  OnDemand<Index> index_;          // once there were more than a few
};

}  // namespace iwarp
#pragma GCC visibility pop
