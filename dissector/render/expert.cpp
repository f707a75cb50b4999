// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/expert.hpp"

#include <cstring>
#include <string>

#include "render/fields.hpp"
#include "render/offending_field.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

// The severity that epan registers for a check; a vendor's known deviation counts one level less, as in the
// findings.
int expert_severity(Severity severity) noexcept {
  switch (severity) {
    case Severity::error: return PI_ERROR;
    case Severity::warning: return PI_WARN;
    case Severity::note: return PI_NOTE;
    case Severity::information: break;
  }
  return PI_CHAT;
}

bool begins_with(const char* id, const char* prefix) noexcept {
  return std::strncmp(id, prefix, std::strlen(prefix)) == 0;
}

int expert_group(const char* id) noexcept {
  if (begins_with(id, "MPA-CRC")) return PI_CHECKSUM;
  if (begins_with(id, "CAP-")) return PI_ASSUMPTION;
  if (begins_with(id, "DDP-MS") || begins_with(id, "DDP-MO") || begins_with(id, "SCTP-S")) return PI_SEQUENCE;
  if (begins_with(id, "RDMAP-RR") || begins_with(id, "RDMAP-AT")) return PI_RESPONSE_CODE;
  return PI_PROTOCOL;
}

expert_field experts[check_count];

ei_register_info expert_table[] = {
#define IWARP_CHECK(name, id, severity, vendor, premise, title, reference, rule, text) \
  {&experts[static_cast<unsigned>(CheckId::name)],                                     \
   {"iwarp.check." #name, PI_PROTOCOL, PI_ERROR, id ": " title, EXPFILL}},
#include <iwarp/findings.def>
#undef IWARP_CHECK
};
static_assert(std::size(expert_table) == check_count);

// One kind for all of them, so that they are one row of the Expert Information window, however many they are.
expert_field undecided = EI_INIT;
ei_register_info undecided_table[] = {
    {&undecided,
     {"iwarp.undecidable.note", PI_ASSUMPTION, PI_NOTE, "Not to be decided from this capture", EXPFILL}},
};

void add_finding(const Frame& frame, proto_item* item, const Finding& finding, const char* words) {
  const CheckInfo& check = check_info(finding.check);
  const bool has_reference = check.reference[0] != '\0';
  expert_add_info_format(frame.pinfo, item, &experts[static_cast<unsigned>(finding.check)], "%s: %s%s%s%s",
                         check.id, words, has_reference ? " (" : "", check.reference,
                         has_reference ? ")" : "");
}

// One item for all verdicts of an FPDU: "Not to be decided from this capture: RDMAP-ORD (midstream), …"
void add_undecidables(const Frame& frame, proto_item* item, Events conclusions) {
  wmem_strbuf_t* text = nullptr;
  for (const Event& event : conclusions) {
    if (event.kind != EventKind::undecidable) continue;
    const bool first = text == nullptr;
    if (first) text = wmem_strbuf_new(frame.pinfo->pool, "Not to be decided from this capture:");
    wmem_strbuf_append_printf(text, "%s %s (%s)", first ? "" : ",", check_info(event.undecidable.check).id,
                              reason_name(event.undecidable.reason));
  }
  if (text == nullptr) return;
  expert_add_info_format(frame.pinfo, item, &undecided, "%s", wmem_strbuf_get_str(text));
}

}  // namespace

const char* words_of(wmem_allocator_t* pool, const Finding& finding) noexcept {
  const std::string words = describe(finding);
  return wmem_strdup(pool, words.c_str());
}

void register_expert(int protocol) {
  for (unsigned check = 0; check < check_count; ++check) {
    experts[check] = expert_field EI_INIT;
    const auto id = static_cast<CheckId>(check);
    expert_table[check].eiinfo.group = expert_group(check_info(id).id);
    expert_table[check].eiinfo.severity = expert_severity(severity_of(id, false));
  }
  expert_module_t* const module = expert_register_protocol(protocol);
  expert_register_field_array(module, expert_table, static_cast<int>(check_count));
  expert_register_field_array(module, undecided_table, static_cast<int>(std::size(undecided_table)));
}

void render_finding(const Frame& frame, proto_tree* tree, const Event& event) {
  const Finding& finding = event.finding;
  const CheckInfo& check = check_info(finding.check);
  const char* const words = words_of(frame.pinfo->pool, finding);
  const Range nowhere{frame.tvb, 0, 0};
  proto_item* const heading = generated(put_text(tree, hf.finding, nowhere, check.id));
  proto_item_append_text(heading, ": %s", words);
  proto_tree* const subtree = proto_item_add_subtree(heading, ett.finding);
  generated(put_text(subtree, hf.finding_severity, nowhere, severity_name(finding.severity)));
  generated(put_text(subtree, hf.finding_rule, nowhere, check.rule));
  if (check.reference[0] != '\0')  // what the capture lacks breaks no RFC's rule
    generated(put_text(subtree, hf.finding_reference, nowhere, check.reference));
  for (std::size_t i = 0; i < finding.evidence_count; ++i) {
    put_frame_number(subtree, hf.finding_evidence, frame, finding.evidence[i]);
  }
  if (event.frame > frame.number) put_frame_number(subtree, hf.decided_in, frame, event.frame);
  proto_item* const offending = offending_item(tree, finding);
  add_finding(frame, offending != nullptr ? offending : heading, finding, words);
}

void render_undecidables(const Frame& frame, proto_tree* tree, Events conclusions) {
  proto_tree* subtree = nullptr;
  proto_item* heading = nullptr;
  const Range nowhere{frame.tvb, 0, 0};
  for (const Event& event : conclusions) {
    if (event.kind != EventKind::undecidable) continue;
    if (subtree == nullptr) {
      heading = generated(put_octets(tree, hf.undecidables, nowhere));
      subtree = proto_item_add_subtree(heading, ett.undecidables);
    }
    const char* const reason = reason_name(event.undecidable.reason);
    const CheckInfo& check = check_info(event.undecidable.check);
    proto_item* const each = generated(put_text(subtree, hf.undecidable, nowhere, check.id));
    proto_item_append_text(each, " (%s)", reason);
    repeated(put_text(subtree, hf.undecidable_reason, nowhere, reason));
  }
  add_undecidables(frame, heading, conclusions);
}

void add_expert_items(const Frame& frame, proto_item* item, Events events) {
  for (const Event& event : events) {
    if (event.kind == EventKind::finding)
      add_finding(frame, item, event.finding, words_of(frame.pinfo->pool, event.finding));
  }
  add_undecidables(frame, item, events);
}

// epan leaves the severity of the last item in the column, not that of the worst.
void render_expert_column(const Frame& frame) {
  int worst = 0;
  for (const Event& event : frame.events) {
    int severity = 0;
    if (event.kind == EventKind::finding) severity = expert_severity(event.finding.severity);
    if (event.kind == EventKind::undecidable) severity = PI_NOTE;
    if (severity > worst) worst = severity;
  }
  if (worst == 0) return;
  const char* const name = val_to_str_const(static_cast<guint32>(worst), expert_severity_vals, "");
  col_add_str(frame.pinfo->cinfo, COL_EXPERT, name);
}

}  // namespace iwarp::dissector
