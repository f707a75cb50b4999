// Reads the records of one capture file: pcap, pcapng, either of them in gzip or zstd.
//
// What a file is, is told by its first octets and never by its name:
//   pcap    microseconds, nanoseconds or the "modified" format of old Linux kernels, either byte order
//   pcapng  any number of sections and interfaces, either byte order; Enhanced, Simple and (obsolete) Packet
//           Blocks are records, all other blocks are passed over
//   gzip    any number of members; zstd: any number of frames
//
// Memory use does not depend on what a header claims, only on octets really present: one buffer that holds
// the longest record so far.
//
// Threads: an object may be used by one thread at a time; different objects are independent.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <iwarp/bytes.hpp>
#include <iwarp/capture/record.hpp>

#pragma GCC visibility push(default)
namespace iwarp::capture {

class FormatReader;
class FrameIndex;

class RecordReader {
 public:
  // Opens the file at `path`, or standard input for "-". On failure returns nothing and sets `error` to one
  // sentence that names the file. `cancelled`, if any, is asked ten times a second, and when a signal's
  // handler has run, while a pipe, its writer included, is waited for, and now and then while what holds no
  // packet is passed over: true ends the capture there, as damage. `index`, if any, takes places in the file,
  // to read single frames again (frame_reader.hpp). `decompress_ahead`: a compressed regular file is
  // decompressed in a thread of its own, up to 1 MiB ahead; an index then has no places inside it.
  [[nodiscard]] static std::unique_ptr<RecordReader> open(const std::string& path, std::string& error,
                                                          std::function<bool()> cancelled = {},
                                                          std::shared_ptr<FrameIndex> index = nullptr,
                                                          bool decompress_ahead = false);

  // Reads a capture that is already in memory. REQUIRES: `octets` outlives the reader and does not change.
  // `name` stands for the file's name in sentences.
  [[nodiscard]] static std::unique_ptr<RecordReader> open_memory(ByteView octets, const std::string& name,
                                                                 std::string& error);

  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // Delivers the next record. False at the end of the capture, or at damage: damage() tells them apart.
  // Reads from a pipe no further than the record needs.
  [[nodiscard]] bool next(Record& record);

  // As long as somebody holds it, the octets of the record read last stay where they are, unchanged, and so
  // do those of all records since it was another one: some 256 KiB of the file. nullptr where the capture is
  // in memory. To be held and given up by the thread that reads; any thread may read the octets.
  [[nodiscard]] std::shared_ptr<const void> storage() const noexcept;
  // What storage() points at. Asked for each record it costs nothing, where storage() would count a holder up
  // and down.
  [[nodiscard]] const void* storage_address() const noexcept;

  // Set once next() has returned false because of damage.
  [[nodiscard]] const std::optional<Damage>& damage() const noexcept;

  [[nodiscard]] Progress progress() const noexcept;

 private:
  class [[gnu::visibility("hidden")]] Implementation;
  explicit RecordReader(std::unique_ptr<Implementation> implementation);
  static std::unique_ptr<RecordReader> start(std::unique_ptr<FormatReader> reader,
                                             std::shared_ptr<FrameIndex> index, std::string& error);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace iwarp::capture
#pragma GCC visibility pop
