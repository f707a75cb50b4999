// The table of checks as text, as markdown (docs/findings.md) and as JSON; the fields of records.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "catalogue.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace iwarp::cli {

namespace {

constexpr std::string_view markdown_head =
    R"(# Checks

Made from `libiwarpstate/include/iwarp/findings.def` by `iwarp-analyze --list-checks markdown`; a test keeps them equal.

A finding is a rule that captured octets break. **Severity** is the strict one; a rule marked *vendor* is broken by
shipping products in known ways and is reported as named there, except with `--strict`. What a capture cannot decide
is no finding: it is counted, with its reason, under `undecidable` of the summary. In **What is said**, `{0}` to `{3}`
stand for values of the capture.

Rows with the same ID are one rule: parts of it, or severities.
)";

struct Section {
  std::string_view prefix;
  std::string_view title;
};
constexpr Section sections[] = {{"MPA-", "MPA: start-up, FPDUs, markers, CRC"},
                                {"SCTP-", "SCTP: associations and sessions"},
                                {"DDP-", "DDP: segments and messages"},
                                {"RDMAP-", "RDMAP: operations and Terminates"},
                                {"VERBS-", "Verbs: how connections end"},
                                {"ULP-", "ULPs: what they agreed on"},
                                {"PERF-", "Time that was lost; slowness breaks no rule"},
                                {"CAP-", "The capture itself"}};

CheckId check_at(unsigned row) {
  return static_cast<CheckId>(row);
}

// A template without what only says how a number is written: "{0:x}" is "{0}", "{0:octet}" "{0} octets".
std::string plain_template(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t end = text.find('}');
    const bool conversion =
        text.size() > 3 && text[0] == '{' && text[2] == ':' && end != std::string_view::npos && end > 3;
    if (!conversion) {
      plain += text.front();
      text.remove_prefix(1);
      continue;
    }
    plain.append(text.substr(0, 2)).append("}");
    const std::string_view word = text.substr(3, end - 3);
    if (word.size() > 1) plain.append(" ").append(word).append("s");
    text.remove_prefix(end + 1);
  }
  return plain;
}

void write_markdown(TextBuffer& out) {
  out.append(markdown_head);
  for (const Section& section : sections) {
    out.append("\n## ");
    out.append(section.title);
    out.append("\n\n| ID | Severity | In short | Rule | Reference | What is said |\n|--|--|--|--|--|--|\n");
    for (unsigned row = 0; row < check_count; ++row) {
      const CheckInfo& info = check_info(check_at(row));
      if (!std::string_view(info.id).starts_with(section.prefix)) continue;
      out.append("| ");
      out.append(info.id);
      out.append(" | ");
      out.append(severity_name(info.strict_severity));
      if (info.vendor != 0) {
        out.append(", *vendor: ");
        out.append(severity_name(severity_of(check_at(row), false)));
        out.append("*");
      }
      out.append(" | ");
      out.append(info.title);
      out.append(" | ");
      out.append(info.rule);
      out.append(" | ");
      out.append(info.reference);
      out.append(" | ");
      out.append(plain_template(info.text));
      out.append(" |\n");
    }
  }
}

void write_text(TextBuffer& out) {
  for (unsigned row = 0; row < check_count; ++row) {
    const CheckInfo& info = check_info(check_at(row));
    std::string line = info.id;
    line.resize(22, ' ');
    line += severity_name(info.strict_severity);
    line.resize(31, ' ');
    line += info.rule;
    if (*info.reference != '\0') line += std::string(" [") + info.reference + "]";
    if (info.vendor != 0)
      line += std::string(" (vendor: ") + severity_name(severity_of(check_at(row), false)) + ")";
    out.append(line);
    out.append('\n');
  }
}

void write_json_list(TextBuffer& out) {
  for (unsigned row = 0; row < check_count; ++row) {
    const CheckInfo& info = check_info(check_at(row));
    nlohmann::ordered_json check = {{"id", info.id},
                                    {"strict_severity", severity_name(info.strict_severity)},
                                    {"severity", severity_name(severity_of(check_at(row), false))},
                                    {"vendor", info.vendor != 0},
                                    {"reference", nullptr},
                                    {"title", info.title},
                                    {"rule", info.rule},
                                    {"text", plain_template(info.text)}};
    if (*info.reference != '\0') check["reference"] = info.reference;
    out.append(check.dump());
    out.append('\n');
  }
}

void write_fields(TextBuffer& out) {
  for (unsigned kind = 0; kind < record_kind_count; ++kind) {
    out.append(record_kind_name(static_cast<RecordKind>(kind)));
    out.append('\n');
    for (const std::string_view name : field_names(static_cast<RecordKind>(kind))) {
      out.append("  ");
      out.append(name);
      out.append('\n');
    }
  }
}

}  // namespace

void write_catalogue(TextBuffer& out, Catalogue catalogue) {
  switch (catalogue) {
    case Catalogue::checks_text: return write_text(out);
    case Catalogue::checks_markdown: return write_markdown(out);
    case Catalogue::checks_json: return write_json_list(out);
    case Catalogue::fields: return write_fields(out);
    case Catalogue::none: break;
  }
}

}  // namespace iwarp::cli
