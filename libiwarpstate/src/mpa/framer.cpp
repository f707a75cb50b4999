// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpa/framer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <iwarp/wire/crc32c.hpp>

#include "mpa/marker_probe.hpp"

namespace iwarp::mpa {
namespace {

// Octets that show whether the first FPDU carries markers: a leading marker, ULPDU_Length, and a header's
// ten.
constexpr std::size_t first_look = wire::marker_size + wire::length_field_size + 10;

// FPDUs behind a long hole whose MSNs go on from each other: they are those of the stream itself.
constexpr std::uint32_t enough_fitting = 3;

// Whether `octets` begin with a whole FPDU whose CRC is right.
bool is_whole(const FramerParameters& parameters, StreamOffset at, ByteView octets,
              std::uint16_t length) noexcept {
  const std::uint32_t size = wire_size(parameters, at, length);
  if (octets.size() < size) return false;
  FramedFpdu fpdu;
  examine(parameters, at, octets.first(size), length, fpdu);
  return fpdu.crc == CrcStatus::good;
}

}  // namespace

bool Framer::is_startup_key(ByteView octets) const noexcept {
  const auto is = [octets](const Byte* key) {
    return octets.size() >= wire::startup_key_size &&
           std::memcmp(octets.data(), key, wire::startup_key_size) == 0;
  };
  return is(wire::request_key) || (reply_may_come_ && is(wire::reply_key));
}

void Framer::begin(const FramerParameters& parameters, StreamOffset at) {
  *this = Framer();
  parameters_ = parameters;
  markers_open_ = parameters.markers == Mode::unknown;
  if (markers_open_) parameters_.markers = Mode::off;
  at_ = at;
  first_ = true;
  confirmed_ = true;
  sequence_.begin(at);
}

void Framer::seek(const FramerParameters& parameters, StreamOffset at, Loss why) {
  *this = Framer();
  parameters_ = parameters;
  at_ = at;
  first_ = joined_ = why == Loss::start_missing;
  lose(why, at, false);
}

void Framer::learn(Mode markers, Mode crc) noexcept {
  if (!lost_) return;
  if (markers == Mode::on) markers = Mode::unknown;
  if (parameters_.markers == Mode::unknown) parameters_.markers = markers;
  if (parameters_.crc == Mode::unknown) parameters_.crc = crc;
  synchronizer_->learn(markers, crc);
}

void Framer::push(ByteView octets, bool segment_start) {
  input_ = octets;
  input_segment_start_ = segment_start;
  if (lost_) {
    synchronizer_->push(octets, segment_start);
    input_ = {};
  }
}

bool Framer::push_absent(std::uint64_t length) {
  if (lost_) {
    synchronizer_->push_absent(length);
    return false;
  }
  if (open_done_) {
    open_.clear();
    open_done_ = false;
  }
  std::uint16_t ulpdu_length = 0;
  const bool headed =
      settle_first_word() && read_ulpdu_length(parameters_, at_, open_.present(), ulpdu_length) &&
      (!guessed_ || open_.doubted() || !contradicts_header_at(parameters_, at_, open_.present()));
  if (!headed) {
    hole_ = {at_ + open_.size(), length};
    hole_ready_ = replayed_ != nullptr;
    open_.clear();
    lose(Loss::gap, hole_.begin + length, false);
    return false;
  }
  if (open_.doubted()) {
    lose(Loss::nonsense, at_, true);
    open_.push_to(*synchronizer_);
    open_.clear();
    synchronizer_->push_absent(length);
    return false;
  }
  const std::uint32_t size = wire_size(parameters_, at_, ulpdu_length);
  const std::uint64_t missing = size - open_.size();
  if (length < missing) {
    open_.add_absent(static_cast<std::size_t>(length));
    return true;
  }
  open_.add_absent(static_cast<std::size_t>(missing));
  finish_cut(ulpdu_length, size);
  cut_ready_ = true;
  if (length > missing) {
    hole_ = {at_, length - missing};
    hole_ready_ = true;
    return false;
  }
  return true;
}

// Where the first FPDU is to tell whether it carries markers and will not be there in full, its first word
// does. False when that is not there either.
bool Framer::settle_first_word() noexcept {
  if (!first_ || !markers_open_) return true;
  const ByteView octets = open_.present();
  if (octets.size() < wire::marker_size) return false;
  if (load_be32(octets.data()) == 0 && parameters_.markers != Mode::on) {
    parameters_.markers = Mode::on;
    marked_ready_ = true;
  }
  return true;
}

// The markers of the FPDU at at_, which is not there in full: their number follows from its length. Those
// that were captured are looked at, also behind a hole; but where so little of the first FPDU came that it
// does not show whether there are any at all, none is.
void Framer::note_markers(std::uint32_t size) noexcept {
  fpdu_.markers = 0;
  fpdu_.markers_missing = false;
  fpdu_.marker_faults = fpdu_.right_markers = 0;
  if (parameters_.markers != Mode::on) return;
  const bool use_shown = !first_ || open_.present().size() >= first_look;
  for (std::uint32_t at = first_marker(parameters_, at_); at < size; at += wire::marker_interval) {
    ++fpdu_.markers;
    if (use_shown && open_.has(at, wire::marker_size)) {
      check_marker(open_.octets().data() + at, at, fpdu_);
    } else {
      fpdu_.markers_missing = true;
    }
  }
}

// The FPDU at at_ is not there in full: what fpdu_ can say of it.
void Framer::tell_cut(std::uint16_t length, std::uint32_t size) {
  fpdu_.begin = at_;
  fpdu_.end = at_ + size;
  fpdu_.ulpdu_length = length;
  fpdu_.marked = parameters_.markers == Mode::on;
  fpdu_.phase = fpdu_.marked ? parameters_.phase(at_) : 0;
  note_markers(size);
  fpdu_.pad = 0;
  fpdu_.crc = parameters_.crc == Mode::off ? CrcStatus::unused : CrcStatus::undecidable;
  fpdu_.crc_field = fpdu_.crc_computed = 0;
  fpdu_.cut = true;
  fpdu_.unfinished = false;
  fpdu_.wire = {};
  fpdu_.header_octets = copy_header(parameters_, at_, open_.present(),
                                    std::min<std::uint32_t>(length, max_header), fpdu_.kept.data());
}

// The FPDU at at_ is complete but for absent octets.
void Framer::finish_cut(std::uint16_t length, std::uint32_t size) {
  tell_cut(length, size);
  hide_doubtful(open_.present());
  open_.clear();
  at_ = fpdu_.end;
  note_unmarked();
  note_right_markers();
  note_sequence();
  first_ = false;
}

Framer::Output Framer::poll() {
  if (lock_ready_) {
    lock_ready_ = false;
    lock_to(lock_);
    return Output::locked;
  }
  if (cut_ready_) {
    cut_ready_ = false;
    if (hole_ready_) lose(Loss::gap, hole_.begin + hole_.length, false);
    return Output::fpdu;
  }
  if (hole_ready_) {
    hole_ready_ = false;
    return Output::hole;
  }
  if (open_done_) {
    open_.clear();
    open_done_ = false;
  }
  if (marked_ready_) {
    marked_ready_ = false;
    return Output::marker_use;
  }
  do {
    const Output output = cut_ready_ || hole_ready_ ? poll() : lost_ ? poll_lost() : poll_synchronized();
    if (output != Output::none) return output;
  } while (feed_replay());
  return Output::none;
}

void Framer::use(std::size_t octets) noexcept {
  input_ = input_.subspan(octets);
  input_segment_start_ = false;
}

// Moves input to open_ until it holds `size` octets or the input is used up.
void Framer::gather(std::size_t size) {
  if (open_.size() >= size || input_.empty()) return;
  if (input_segment_start_ && !open_.empty() && !begins_segment_) crosses_ = true;
  if (input_segment_start_ && !open_.empty() && fpdu_stands_at(at_ + open_.size(), input_))
    open_.note_inner();
  const std::size_t count = std::min(size - open_.size(), input_.size());
  open_.add(input_.first(count), input_segment_start_);
  use(count);
}

Framer::Output Framer::poll_synchronized() {
  while (!input_.empty() || ends_open()) {
    const Output output = open_.empty() ? begin_fpdu() : continue_fpdu();
    if (output != Output::none || lost_) return output;
    if (input_.empty() && open_.empty()) return Output::none;
    if (const Output doubt = judge_open(); doubt != Output::none || lost_) return doubt;
    if (input_.empty()) return ends_open() ? end_open() : Output::none;
  }
  return Output::none;
}

// The next FPDU begins with input_[0]. Output::none: it is not there in full.
Framer::Output Framer::begin_fpdu() {
  begins_segment_ = input_segment_start_;
  crosses_ = false;
  if (first_) {
    const Output output = check_first(input_);
    if (output != Output::fpdu) return output;
  }
  std::uint16_t length = 0;
  if (read_ulpdu_length(parameters_, at_, input_, length)) {
    const std::uint32_t size = wire_size(parameters_, at_, length);
    if (input_.size() >= size) {
      const ByteView octets = input_.first(size);
      use(size);
      return take(octets, length, input_);
    }
    if (input_[0] == wire::request_key[0] && is_startup_key(input_)) return Output::startup;
  }
  gather(input_.size());
  return Output::none;
}

// … and was begun before.
Framer::Output Framer::continue_fpdu() {
  if (first_ && open_.size() < first_look) {
    gather(first_look);
    const Output output = check_first(open_.octets());
    if (output != Output::fpdu) return output;
  }
  std::uint16_t length = 0;
  if (!read_ulpdu_length(parameters_, at_, open_.octets(), length)) {
    gather(wire::marker_size + wire::length_field_size);
    if (!read_ulpdu_length(parameters_, at_, open_.octets(), length)) return Output::none;
  }
  const std::uint32_t size = wire_size(parameters_, at_, length);
  gather(size);
  if (open_.size() < size) return Output::none;
  if (open_.size() > size) {  // a short FPDU behind a long first look: go on from what is left
    const Bytes left = open_.split(size);
    const Output output = take(open_.octets(), length, left);
    if (output == Output::fpdu) {
      fpdu_.forget_wire();
      open_.clear();
      open_.add(left, false);
      begins_segment_ = crosses_ = false;
    }
    return output;
  }
  if (open_.cut()) {
    finish_cut(length, size);
    return Output::fpdu;
  }
  open_done_ = true;
  return take(open_.octets(), length, input_);
}

// Whether the open FPDU is to be waited for: a header that cannot be one is not, a ULPDU_Length may be in
// doubt.
Framer::Output Framer::judge_open() {
  if (open_.size() < first_look || open_.cut()) return Output::none;
  const bool believed = believed_ && at_ == believed_at_;
  if (!believed && !header_stands_at(at_, open_.octets())) {
    if (is_startup_key(open_.octets())) return Output::startup;
    const bool key_may_come = open_.size() < wire::startup_key_size;
    return key_may_come ? Output::none : lose_open();
  }
  if (!believed && marker_denies(open_.octets(), open_.markers_from())) return lose_open();
  std::uint16_t length = 0;
  (void)read_ulpdu_length(parameters_, at_, open_.octets(), length);
  const bool too_long = length > wire::max_ulpdu_length;
  if (too_long && open_.worth_a_look() && look_inside(input_)) return give_up_open();
  // A legal length is not doubted aloud: how TCP cuts a stream must make no difference to what is reported.
  if (too_long && open_.inner() > 0 && open_.begin_doubt()) return Output::doubted;
  return Output::none;
}

// Whether a marker in the FPDU at at_ leads to a header behind its beginning (RFC 5044 §4.3): then another
// FPDU begins there, and its ULPDU_Length is wrong. `octets` are the FPDU's as far as they came, without
// absent ones; markers in front of `from` agreed, which moves on.
bool Framer::marker_denies(ByteView octets, std::size_t& from) const noexcept {
  if (parameters_.markers != Mode::on) return false;
  if (from == 0) from = first_marker(parameters_, at_);
  for (; from + wire::marker_size <= octets.size(); from += wire::marker_interval) {
    const std::size_t pointer = wire::masked_fpdu_pointer(load_be16(octets.data() + from + 2));
    if (pointer > from) continue;
    // Of an FPDU whose first word is a marker the pointers of the others lead to the ULPDU_Length behind it.
    std::size_t begin = from - pointer;
    if (pointer != 0 && begin >= wire::marker_size && parameters_.phase(at_ + begin) == wire::marker_size)
      begin -= wire::marker_size;
    if (begin == 0) continue;
    if (octets.size() - begin < first_look + wire::marker_size) return false;  // not there yet
    if (parameters_.may_begin(at_ + begin) && plausible_at(parameters_, at_ + begin, octets.subspan(begin)))
      return true;
  }
  return false;
}

// The direction ends inside the open FPDU.
Framer::Output Framer::end_open() {
  if (open_.inner() > 0 && !open_.cut() && look_inside({})) return give_up_open();
  end_reported_ = true;
  return tell_unfinished() ? Output::fpdu : Output::none;
}

// Whether the open FPDU's header is one: then fpdu_ tells it.
bool Framer::tell_unfinished() {
  std::uint16_t length = 0;
  if (!header_stands_at(at_, open_.present())) return false;
  (void)read_ulpdu_length(parameters_, at_, open_.present(), length);
  tell_cut(length, wire_size(parameters_, at_, length));
  fpdu_.marker_faults = 0;  // where its ULPDU_Length is wrong there are no markers
  return fpdu_.unfinished = true;
}

std::optional<FramedFpdu> Framer::open_fpdu() const noexcept {
  const bool stands = inside_fpdu() && !open_.doubted() && header_stands_at(at_, open_.present());
  return stands ? begun_fpdu(parameters_, at_, open_.present()) : std::nullopt;
}

// Whether a TCP segment that begins with `octets`, inside an FPDU, begins with one itself.
bool Framer::fpdu_stands_at(StreamOffset at, ByteView octets) const noexcept {
  if (octets.size() < first_look || !parameters_.may_begin(at) || !plausible_at(parameters_, at, octets)) {
    return false;
  }
  if (parameters_.crc != Mode::on) return true;
  std::uint16_t length = 0;
  (void)read_ulpdu_length(parameters_, at, octets, length);
  return is_whole(parameters_, at, octets, length);
}

// Whether what framing leads to is a header. A wrong field is its sender's fault where nothing ever put the
// framing in doubt: ULPDU_Length alone frames (RFC 5044 §6), and what is told must not hang on how TCP cut
// the FPDU.
bool Framer::header_stands_at(StreamOffset at, ByteView octets) const noexcept {
  return plausible_at(parameters_, at, octets) || (!joined_ && recognisable_at(parameters_, at, octets));
}

// Looks whether the first octets carry markers as announced. Output::fpdu: go on.
Framer::Output Framer::check_first(ByteView octets) {
  FramerParameters other_way = parameters_;
  other_way.markers = parameters_.markers == Mode::on ? Mode::off : Mode::on;
  if (octets.size() >= wire::marker_size) {
    // A marked direction begins with the marker 0000 0000; an unmarked one never does (ULPDU_Length >= 14).
    const bool begins_with_marker = load_be32(octets.data()) == 0 && parameters_.phase(at_) == 0;
    if (begins_with_marker == (parameters_.markers == Mode::on)) return Output::fpdu;
  }
  if (octets.size() < first_look) {
    // … but for one that is too short for any header.
    std::uint16_t length = 0;
    if (final_ ||
        (read_ulpdu_length(parameters_, at_, octets, length) && is_whole(parameters_, at_, octets, length))) {
      return Output::fpdu;
    }
    if (open_.empty()) gather(input_.size());
    return Output::none;
  }
  if (plausible_at(other_way, at_, octets) && !plausible_at(parameters_, at_, octets)) {
    parameters_.markers = other_way.markers;
    return Output::marker_use;
  }
  return Output::fpdu;
}

// An FPDU of `octets` is there in full, `behind` are those that follow as far as they came.
Framer::Output Framer::take(ByteView octets, std::uint16_t length, ByteView behind) {
  examine(parameters_, at_, octets, length, fpdu_);
  if (lacks_leading_marker(octets)) take_as_marked();
  std::size_t from = 0;
  const bool denied = fpdu_.crc != CrcStatus::good && (fpdu_.marker_faults & marker_pointer) != 0 &&
                      !(believed_ && at_ == believed_at_) && marker_denies(octets, from);
  const bool believed = fpdu_.crc == CrcStatus::good || (!denied && believable(behind));
  if (believed && !may_be_marked(octets)) {
    hide_doubtful(octets);
    at_ = fpdu_.end;
    note_unmarked();
    note_right_markers();
    note_sequence();
    first_ = false;
    return Output::fpdu;
  }
  if (is_startup_key(octets)) {
    // Octets that were taken for one FPDU are a start-up frame.
    take_back(octets, behind);
    open_.add(input_, false);
    input_ = {};
    return Output::startup;
  }
  take_back(octets, behind);
  return lose_open(believed);
}

// A stream that was joined is followed as unmarked, and FPDUs bear that out: how far behind the beginning of
// the next one its first marker can stand, if it is a marked stream all the same.
std::uint32_t Framer::farthest_marker() const noexcept {
  const StreamOffset without = at_ - unmarked_from_;
  return without < farthest_first_marker ? farthest_first_marker - static_cast<std::uint32_t>(without) : 0;
}

// Whether the FPDU of `octets`, which no CRC proves, is to be looked at again as one of a marked stream.
bool Framer::may_be_marked(ByteView octets) const noexcept {
  if (!guessed_ || fpdu_.crc == CrcStatus::good || (believed_ && at_ == believed_at_)) return false;
  return probe_marker(octets, 0, farthest_marker()).has_value();
}

// Octets at `at`, behind the FPDU in hand: those that a search had gathered, or the input.
ByteView Framer::octets_ahead(StreamOffset at) const noexcept {
  if (replayed_ && at >= replayed_->begin_offset() && at < replayed_->end_offset())
    return replayed_->piece_at(at).octets;
  const StreamOffset input_at = fpdu_.end;
  return at < input_at || at - input_at >= input_.size() ? ByteView() : input_.subspan(at - input_at);
}

// Whether the header behind fpdu_ tells that no marker stands in that: a marker `at` octets behind its
// beginning would move the header by four octets.
bool Framer::header_behind_denies_marker(std::uint32_t at) const noexcept {
  FramerParameters marked = parameters_;
  marked.markers = Mode::on;
  marked.origin = (fpdu_.begin + at) % wire::marker_interval;
  const StreamOffset marked_end = fpdu_.begin + wire_size(marked, fpdu_.begin, fpdu_.ulpdu_length);
  const ByteView here = octets_ahead(fpdu_.end);
  const ByteView there = octets_ahead(marked_end);
  return here.size() >= first_look && there.size() >= first_look &&
         plausible_at(parameters_, fpdu_.end, here) && !plausible_at(marked, marked_end, there);
}

// A stream may be marked, no CRC tells, and a word of fpdu_, whose octets are these, would be its marker:
// what stands behind that word is not known then.
void Framer::hide_doubtful(ByteView octets) noexcept {
  if (!guessed_ || fpdu_.crc == CrcStatus::good || fpdu_.crc == CrcStatus::bad) return;
  const auto marker = probe_marker(octets, 0, farthest_marker());
  if (!marker || header_behind_denies_marker(*marker)) return;
  fpdu_.cut = true;
  fpdu_.pad = 0;
  fpdu_.forget_wire();
  fpdu_.header_octets =
      std::min(fpdu_.header_octets, *marker - std::min<std::uint32_t>(*marker, wire::length_field_size));
}

// Whether the FPDU of `octets`, in a stream that may be marked, was found behind its leading marker, which
// its CRC covers, too: that was not captured, or not known to be one.
bool Framer::lacks_leading_marker(ByteView octets) const noexcept {
  if (!guessed_ || fpdu_.crc != CrcStatus::bad) return false;
  constexpr std::array<Byte, wire::marker_size> marker{};
  const ByteView covered = octets.first(octets.size() - wire::crc_size);
  return wire::crc32c(covered, wire::crc32c(marker)) == fpdu_.crc_field;
}

void Framer::take_as_marked() noexcept {
  fpdu_.crc = CrcStatus::good;
  fpdu_.crc_computed = fpdu_.crc_field;
  parameters_.markers = Mode::on;
  parameters_.origin = (fpdu_.begin + wire::marker_interval - wire::marker_size) % wire::marker_interval;
  guessed_ = false;
  markers_sought_ = false;  // its CRC tells
  marked_ready_ = true;
}

// fpdu_ was taken: no marker stands in it if its CRC is right, or none was found where it would have to
// stand. Of a cut one the header tells, which stands where it does without a marker in those before it.
void Framer::note_unmarked() noexcept {
  if (!guessed_) return;
  const ByteView header = fpdu_.header();
  const bool tagged = !header.empty() && (header[0] & 0x80U) != 0;
  const std::uint32_t ddp_size = tagged ? wire::tagged_header_size : wire::untagged_header_size;
  const bool by_header = (fpdu_.crc == CrcStatus::unused || fpdu_.crc == CrcStatus::undecidable) &&
                         header.size() >= std::min<std::uint32_t>(ddp_size, fpdu_.ulpdu_length) &&
                         plausible(parameters_, fpdu_.ulpdu_length, header);
  if (fpdu_.crc != CrcStatus::good && !by_header) unmarked_from_ = fpdu_.end;
  const StreamOffset unmarked_to = fpdu_.cut ? fpdu_.begin : fpdu_.end;
  if (unmarked_to >= unmarked_from_ + wire::marker_interval) guessed_ = false;
}

// fpdu_ was taken, and bears out where the markers of the stream lie, or not.
void Framer::note_right_markers() noexcept {
  if (parameters_.markers != Mode::on || !markers_open_to_doubt()) return;
  if (fpdu_.crc == CrcStatus::good && shows_one_marker()) {
    right_markers_ = enough_markers;
  } else if (fpdu_.marker_faults == 0) {
    right_markers_ += fpdu_.right_markers;
  } else {
    right_markers_ = 0;
  }
}

// Whether fpdu_, whose CRC is right, has a marker that no other word of it may be: that CRC is as right
// without another word of the same value.
bool Framer::shows_one_marker() const noexcept {
  if (fpdu_.markers == 0) return false;
  if (first_marker(parameters_, fpdu_.begin) == 0) return true;  // without it the length would be 0
  const auto marker = probe_marker(fpdu_.wire, 0, farthest_first_marker);
  return marker && !probe_marker(fpdu_.wire, *marker + wire::marker_size, farthest_first_marker);
}

// What the MSN of fpdu_ tells of those that come behind it. Found behind a hole they must fit those before,
// or stand further on than FPDUs that are stored in a payload reach. Stored ones may fit by chance, but
// seldom begin where a TCP segment does: where one of them lies over the border of two segments and begins
// neither, goes on where no MSN of theirs may, or has a marker that points elsewhere, only distance tells.
void Framer::note_sequence() noexcept {
  if (crosses_ && may_be_stored()) {  // that others began segments was chance
    if (confirmed_) tentative_ = sequence_;
    confirmed_ = false;
    torn_ = true;
  }
  // What cannot be read is as good as missing.
  const ByteView header = fpdu_.header();
  const bool tagged = !header.empty() && (header[0] & 0x80U) != 0;
  if (fpdu_.crc == CrcStatus::bad || (!tagged && header.size() < wire::untagged_header_size)) return;
  if (!confirmed_) {
    const Sequence::Fit due = sequence_.judge(fpdu_.begin, header.data(), header.size());
    const Sequence::Fit fit = tentative_.judge(fpdu_.begin, header.data(), header.size());
    tentative_.take(fpdu_.begin, fpdu_.end, header.data(), header.size());
    if (fit == Sequence::Fit::fits) ++fitting_;
    const bool breaks_off = !joined_ && fitting_ > 0 && fit == Sequence::Fit::contradicts;
    const bool marker_denies = fpdu_.marker_faults != 0 && fpdu_.crc != CrcStatus::good;
    torn_ = torn_ || breaks_off || marker_denies;
    if (fit == Sequence::Fit::contradicts) fitting_ = 0;
    if (due == Sequence::Fit::contradicts) misfit_ = true;
    aligned_ = aligned_ || begins_segment_;
    confirmed_ = (!torn_ && aligned_ && (due == Sequence::Fit::fits || fitting_ >= enough_fitting)) ||
                 !may_be_stored();
    if (!confirmed_) return;
    misfit_ = false;
    sequence_ = tentative_;
    return;
  }
  sequence_.take(fpdu_.begin, fpdu_.end, header.data(), header.size());
}

// What was taken for a whole FPDU, and what was split from it, is one that is open again.
void Framer::take_back(ByteView octets, ByteView behind) {
  if (open_.empty()) open_.add(octets, true);
  if (behind.data() != input_.data()) open_.add(behind, false);
  open_done_ = false;
}

// Without a right CRC: by its own header, or by the one behind it.
bool Framer::believable(ByteView behind) const noexcept {
  if (believed_ && fpdu_.begin == believed_at_) return true;
  const bool led_astray = behind.size() >= first_look && !plausible_at(parameters_, fpdu_.end, behind);
  // In a stream joined on the way the framing itself is in doubt: a wrong CRC before octets that are no
  // header tells that it was that of another stream, stored in a payload.
  if (joined_ && fpdu_.crc == CrcStatus::bad && led_astray) return false;
  if (open_.inner() > 0 && led_astray) return false;
  if (plausible(parameters_, fpdu_.ulpdu_length, fpdu_.header())) return true;
  if (fpdu_.crc != CrcStatus::bad && header_stands_at(fpdu_.begin, fpdu_.wire)) return true;
  // Where a marker in the FPDU before would have moved it, it begins elsewhere.
  if (guessed_) return false;
  if (behind.empty()) return true;  // it ends where its TCP segment ends
  return plausible_at(parameters_, fpdu_.end, behind);
}

}  // namespace iwarp::mpa
