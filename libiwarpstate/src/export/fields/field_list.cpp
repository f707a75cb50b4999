// Collects the names of all fields of a record kind.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/fields/field_list.hpp"

#include <array>

#include "export/fields/record_fields.hpp"

namespace iwarp::fields {

namespace {

class NameCollector {
 public:
  explicit NameCollector(std::vector<FieldInfo>& fields) : fields_(fields) {}

  void field(Key key, const auto&) { add(key, true); }
  void text(Key key, const auto&) { add(key, true); }
  void list(Key key, const auto&) { add(key, false); }
  void map(Key key, const auto&) { add(key, false); }
  template <typename Fill>
  void object(Key key, Fill fill) {
    const std::size_t outer = path_.size();
    const std::uint32_t outer_hash = hash_;
    path_.append(key.name).append(".");
    hash_ = hash_path(hash_, key.hash);
    fill(*this);
    path_.resize(outer);
    hash_ = outer_hash;
  }

 private:
  void add(Key key, bool scalar) {
    fields_.push_back({path_ + std::string(key.name), hash_path(hash_, key.hash), scalar});
  }

  std::vector<FieldInfo>& fields_;
  std::string path_;
  std::uint32_t hash_ = 0;
};

using AllFields = std::array<std::vector<FieldInfo>, record_kind_count>;

AllFields collect() {
  AllFields all;
  for (unsigned kind = 0; kind < record_kind_count; ++kind) {
    Record record = sample_record(static_cast<RecordKind>(kind));
    record.capture = "capture";
    record.with_payload_hash = true;
    record.with_parts = true;
    NameCollector collector(all[kind]);
    describe_record(collector, record);
    if (record.kind == RecordKind::stream) describe_sctp(collector, SctpStream());
  }
  return all;
}

}  // namespace

const std::vector<FieldInfo>& field_list(RecordKind kind) {
  static const AllFields all = collect();
  return all[static_cast<unsigned>(kind)];
}

}  // namespace iwarp::fields

namespace iwarp {

std::vector<std::string_view> field_names(RecordKind kind) {
  std::vector<std::string_view> names;
  for (const auto& field : fields::field_list(kind)) names.push_back(field.path);
  return names;
}

}  // namespace iwarp
