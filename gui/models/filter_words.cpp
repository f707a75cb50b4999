// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/filter_words.hpp"

#include <QRegularExpression>

#include <iwarp/event.hpp>
#include <iwarp/export/filter.hpp>
#include <iwarp/export/names.hpp>
#include <iwarp/finding.hpp>
#include <iwarp/wire/ddp.hpp>

namespace iwarp::gui {
namespace {

// The names of an enumeration's values up to the last one.
template <typename Enum>
QStringList names_of(const char* (*name)(Enum), Enum last) {
  QStringList names;
  for (std::size_t value = 0; value <= static_cast<std::size_t>(last); ++value)
    names << QString::fromLatin1(name(static_cast<Enum>(value)));
  names.removeDuplicates();
  names.sort();
  return names;
}

QStringList ids_of_checks() {
  return names_of<CheckId>([](CheckId check) { return check_info(check).id; },
                           static_cast<CheckId>(check_count - 1));
}

QStringList opcodes() {
  return names_of<wire::Opcode>([](wire::Opcode opcode) { return wire::opcode_name(opcode); },
                                wire::Opcode::atomic_response);
}

QStringList fields() {
  QStringList all{QStringLiteral("not")};
  for (const RecordKind kind : {RecordKind::operation, RecordKind::message, RecordKind::finding}) {
    for (const std::string_view name : field_names(kind))
      all << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
  }
  all.removeDuplicates();
  all.sort();
  return all;
}

QStringList values_of(const QString& field) {
  if (field == QLatin1String("op"))
    return names_of<OperationKind>([](OperationKind kind) { return operation_kind_name(kind); },
                                   OperationKind::immediate);
  if (field == QLatin1String("status"))
    return names_of<OperationStatus>([](OperationStatus status) { return operation_status_name(status); },
                                     OperationStatus::unknown);
  if (field == QLatin1String("from") || field == QLatin1String("requester"))
    return names_of<Role>([](Role role) { return role_name(role); }, Role::responder);
  if (field == QLatin1String("severity"))
    return names_of<Severity>([](Severity severity) { return severity_name(severity); }, Severity::error);
  if (field == QLatin1String("why"))
    return names_of<LatencyPart>([](LatencyPart part) { return latency_part_name(part); },
                                 LatencyPart::unexplained);
  if (field == QLatin1String("why_basis"))
    return names_of<Basis>([](Basis basis) { return basis_name(basis); }, Basis::inferred);
  if (field == QLatin1String("opcode")) return opcodes();
  if (field == QLatin1String("id")) return ids_of_checks();
  if (field == QLatin1String("complete") || field == QLatin1String("rtr") ||
      field == QLatin1String("request_retransmitted")) {
    return {QStringLiteral("false"), QStringLiteral("true")};
  }
  return {};
}

bool is_operator(const QString& token) {
  static const QStringList operators{QStringLiteral("=="), QStringLiteral("!="), QStringLiteral("<"),
                                     QStringLiteral("<="), QStringLiteral(">"),  QStringLiteral(">="),
                                     QStringLiteral("=~"), QStringLiteral("!~")};
  return operators.contains(token);
}

bool begins_term(const QString& token) {
  static const QStringList words{QStringLiteral("and"), QStringLiteral("or"), QStringLiteral("not"),
                                 QStringLiteral("&&"),  QStringLiteral("||"), QStringLiteral("!"),
                                 QStringLiteral("(")};
  return words.contains(token);
}

QStringList tokens_of(const QString& text) {
  static const QRegularExpression token(
      QStringLiteral(R"("(?:[^"\\]|\\.)*"?|[A-Za-z0-9_.]+|&&|\|\||==|!=|<=|>=|=~|!~|[<>!()])"));
  QStringList tokens;
  for (auto found = token.globalMatch(text); found.hasNext();) tokens << found.next().captured();
  return tokens;
}

}  // namespace

QStringList filter_words(const QString& before) {
  const QStringList tokens = tokens_of(before);
  if (tokens.isEmpty() || begins_term(tokens.last())) return fields();
  if (is_operator(tokens.last())) return tokens.size() > 1 ? values_of(tokens[tokens.size() - 2]) : fields();
  return {QStringLiteral("and"), QStringLiteral("or")};
}

bool ends_with_operator(const QString& before) {
  const QStringList tokens = tokens_of(before);
  return !tokens.isEmpty() && is_operator(tokens.last());
}

}  // namespace iwarp::gui
