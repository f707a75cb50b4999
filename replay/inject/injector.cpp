// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/injector.hpp"

#include <algorithm>

namespace iwarp::replay {

// One role of one stream.
class Injector::Side final : public rnic::Mutator {
 public:
  Side(const PlannedStream& stream, Role role, const ReplayOptions& options)
      : tracker_(stream, role, options) {}

  void add(const Injection& injection) { todo_.push_back({injection}); }

  void startup(rnic::StreamId /*stream*/, Bytes& frame) override {
    for (Todo& each : todo_) {
      if (each.injection.breach->frame == nullptr || each.turns != 0) continue;
      each.injection.breach->frame(frame);
      finish_turn(each);
    }
  }

  void fpdu(rnic::StreamId /*stream*/, Bytes& ulpdu, rnic::Framing& framing) override {
    const Passing passing = tracker_.take(ulpdu);
    const bool opening = std::exchange(opening_, false);
    if (silent_) {
      framing.copies = 0;
      return;
    }
    for (Todo& each : todo_) {
      if (each.injection.breach->fpdu == nullptr || !meets(each, passing, opening, ulpdu, framing)) continue;
      Edit edit(passing, ulpdu, framing, each.turns, each.kept);
      each.injection.breach->fpdu(edit);
      each.after = passing.number;
      each.fpdu = passing.fpdu;
      finish_turn(each);
    }
    if (silent_ && framing.cutoff == rnic::Cutoff::none) framing.cutoff = rnic::Cutoff::silence;
  }

  [[nodiscard]] bool listens_on(rnic::StreamId /*stream*/) const override {
    return std::ranges::any_of(todo_,
                               [](const Todo& each) { return each.injection.breach->needs.peer_closes; });
  }

  void closing(rnic::StreamId /*stream*/, std::vector<rnic::Extra>& last) override {
    for (Todo& each : todo_) {
      if (each.injection.breach->last == nullptr || each.turns != 0) continue;
      each.injection.breach->last(last);
      finish_turn(each);
    }
  }

  void list_not_done(std::vector<Injection>& out) const {
    for (const Todo& each : todo_) {
      if (each.turns < turns_of(*each.injection.breach)) out.push_back(each.injection);
    }
  }

 private:
  struct Todo {
    Injection injection;
    unsigned turns = 0;       // so far
    std::uint32_t after = 0;  // of the turn before: its message …
    std::uint32_t fpdu = 0;   // … and FPDU
    Bytes kept = {};
  };

  static unsigned turns_of(const Breach& breach) noexcept {
    return breach.reach == Reach::two_fpdus || breach.reach == Reach::two_messages ? 2 : 1;
  }

  static bool meets(Todo& todo, const Passing& passing, bool opening, ByteView ulpdu,
                    const rnic::Framing& framing) {
    const Injection& injection = todo.injection;
    const Breach& breach = *injection.breach;
    // Whether there are markers a live peer decides. Behind the first turn they are as they were made.
    const bool markers = framing.markers.value_or(false);
    if (todo.turns == 0 && ((breach.needs.markers && !markers) || (breach.needs.no_markers && markers)))
      return false;
    if (todo.turns >= turns_of(breach) && breach.reach != Reach::all) return false;
    if (breach.needs.opening) return opening || (todo.turns != 0 && breach.reach == Reach::all);
    if (passing.subject != injection.subject) return false;
    if (injection.subject == rtr_message) return true;
    if (todo.turns == 0) {
      if (passing.number != injection.message) return false;
      if (injection.fpdu != 0 ? passing.fpdu != injection.fpdu : passing.fpdu != 1) return false;
      // A place that was asked for may turn out too short.
      return ulpdu.size() >= passing.header.size() + payload_needed(breach, passing);
    }
    if (breach.reach == Reach::two_fpdus)
      return passing.number == todo.after && passing.fpdu == todo.fpdu + 1;
    return breach.reach == Reach::all || passing.number > todo.after;
  }

  // Octets asked for by a Read Request are not its payload.
  static std::size_t payload_needed(const Breach& breach, const Passing& passing) noexcept {
    return passing.subject == read_message ? 0 : breach.needs.payload;
  }

  void finish_turn(Todo& todo) {
    ++todo.turns;
    if (todo.injection.breach->silent && todo.turns >= turns_of(*todo.injection.breach)) silent_ = true;
  }

  PassingTracker tracker_;
  std::vector<Todo> todo_;
  bool opening_ = true;
  bool silent_ = false;
};

Injector::Injector(const Plan& plan, const ReplayOptions& options) : plan_(plan), options_(options) {}
Injector::~Injector() = default;

void Injector::add(const Injection& injection) {
  injections_.push_back(injection);
  begin_again();
}

void Injector::begin_again() {
  sides_.clear();
  for (const Injection& each : injections_) {
    auto& side = sides_[{each.stream, each.role}];
    if (!side) side = std::make_unique<Side>(plan_.streams[each.stream], each.role, options_);
    side->add(each);
  }
}

std::function<rnic::Mutator*(std::uint32_t, Role)> Injector::hook() {
  return [this](std::uint32_t stream, Role role) -> rnic::Mutator* {
    const auto found = sides_.find({stream, role});
    return found == sides_.end() ? nullptr : found->second.get();
  };
}

std::vector<Injection> Injector::not_done() const {
  std::vector<Injection> left;
  for (const auto& [key, side] : sides_) side->list_not_done(left);
  return left;
}

}  // namespace iwarp::replay
