// SPDX-License-Identifier: GPL-2.0-or-later
#include "live_records.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <iwarp/capture/pcap_writer.hpp>

#include "program/interrupt.hpp"
#include "program/standard_output.hpp"

namespace iwarp::cli {

namespace {

constexpr std::size_t written_at_once = 256U << 10U;
constexpr std::chrono::milliseconds moment{100};

}  // namespace

KeptRecords::~KeptRecords() {
  flush();
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool KeptRecords::open(std::uint32_t link_type, std::uint32_t snap_octets) {
  if (path_.empty()) return true;
  descriptor_ = program::open_to_write(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail(errno);
    return false;
  }
  capture::append_pcap_header(waiting_, link_type, snap_octets);
  flush();
  return failure_.empty();
}

void KeptRecords::add(const capture::Record& record) {
  if (descriptor_ < 0) return;
  capture::append_pcap_record(waiting_, record);
  if (waiting_.size() >= written_at_once) flush();
}

void KeptRecords::flush() {
  if (waiting_.empty()) return;
  const std::string_view octets(reinterpret_cast<const char*>(waiting_.data()), waiting_.size());
  if (failure_.empty()) {
    if (const int error = program::write_whole(descriptor_, octets); error != 0) fail(error);
  }
  waiting_.clear();
}

void KeptRecords::fail(int error) {
  failure_ = path_ + ": cannot be written: " + std::generic_category().message(error);
}

std::unique_ptr<LiveRecords> LiveRecords::open(const capture::LiveOptions& options,
                                               const std::string& keep_in, std::string& error) {
  auto capture = capture::LiveCapture::open(options, error);
  if (!capture) return nullptr;
  std::unique_ptr<LiveRecords> records(new LiveRecords(std::move(capture), keep_in));
  if (!records->kept_.open(records->capture_->link_type(), records->capture_->snap_octets())) {
    error = records->kept_.failure();
    return nullptr;
  }
  return records;
}

RecordSource::Step LiveRecords::next(capture::Record& record) {
  while (!capture_->next(record)) {
    if (!paused_) {
      paused_ = true;
      kept_.flush();
      return Step::pause;
    }
    if (program::interrupted()) capture_->stop();
    if (!kept_.failure().empty() || !capture_->wait(moment)) return Step::end;
    paused_ = false;
  }
  octets_ += record.octets.size();
  kept_.add(record);
  return Step::record;
}

std::string LiveRecords::failure() const {
  return kept_.failure().empty() ? capture_->failure() : kept_.failure();
}

std::map<std::string, std::uint64_t> LiveRecords::lost() const {
  const capture::LiveLosses losses = capture_->losses();
  std::map<std::string, std::uint64_t> counts;
  if (losses.kernel != 0) counts["dropped by the kernel, as they were not read in time"] = losses.kernel;
  if (losses.interface != 0) counts["dropped by the interface"] = losses.interface;
  return counts;
}

}  // namespace iwarp::cli
