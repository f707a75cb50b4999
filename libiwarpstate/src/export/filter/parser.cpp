// Filter::parse: a recursive descent over the words of the expression.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <string>

#include "export/fields/field_list.hpp"
#include "export/filter/lexer.hpp"
#include "export/filter/program.hpp"

namespace iwarp {

namespace filter {

namespace {

struct Operator {
  std::string_view text;
  Comparison comparison;
};
constexpr Operator operators[] = {
    {"==", Comparison::equal},      {"eq", Comparison::equal},         {"!=", Comparison::unequal},
    {"ne", Comparison::unequal},    {"<", Comparison::less},           {"lt", Comparison::less},
    {"<=", Comparison::less_equal}, {"le", Comparison::less_equal},    {">", Comparison::greater},
    {"gt", Comparison::greater},    {">=", Comparison::greater_equal}, {"ge", Comparison::greater_equal},
    {"=~", Comparison::match},      {"matches", Comparison::match},    {"!~", Comparison::no_match},
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t column = 0; column <= b.size(); ++column) row[column] = column;
  for (std::size_t line = 1; line <= a.size(); ++line) {
    std::size_t diagonal = row[0];
    row[0] = line;
    for (std::size_t column = 1; column <= b.size(); ++column) {
      const std::size_t above = row[column];
      const std::size_t replace = diagonal + (a[line - 1] == b[column - 1] ? 0 : 1);
      row[column] = std::min({replace, above + 1, row[column - 1] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// The field whose name is nearest to a wrong one, empty when none is near.
std::string nearest_field(std::string_view name) {
  std::string nearest;
  std::size_t best = 3;
  for (unsigned kind = 0; kind < record_kind_count; ++kind) {
    for (const auto& field : fields::field_list(static_cast<RecordKind>(kind))) {
      const std::size_t distance = edit_distance(name, field.path);
      if (distance >= best) continue;
      best = distance;
      nearest = field.path;
    }
  }
  return nearest;
}

template <typename Target>
class Parser {
 public:
  Parser(std::string_view expression, Target& program, std::string& error)
      : lexer_(expression), program_(program), error_(error) {}

  // False: error is set.
  bool run() {
    const auto root = alternatives();
    if (!root) return false;
    if (lexer_.token().kind != TokenKind::end) return fail("\"" + lexer_.token().text + "\" is not expected");
    program_.root = *root;
    return true;
  }

 private:
  using Place = std::optional<std::size_t>;

  bool fail(const std::string& what) {
    const Token& token = lexer_.token();
    error_ =
        "column " + std::to_string(token.column) + ": " + (token.kind == TokenKind::bad ? token.text : what);
    return false;
  }

  bool take(std::string_view symbol, std::string_view word) {
    const Token& token = lexer_.token();
    const bool found = (token.kind == TokenKind::symbol && token.text == symbol) ||
                       (token.kind == TokenKind::word && token.text == word);
    if (found) lexer_.advance();
    return found;
  }

  std::size_t add(const Node& node) {
    program_.nodes.push_back(node);
    return program_.nodes.size() - 1;
  }

  Place alternatives() {
    Place left = conjunction();
    while (left && take("||", "or")) {
      const Place right = conjunction();
      if (!right) return std::nullopt;
      left = add({.kind = NodeKind::either, .left = *left, .right = *right});
    }
    return left;
  }

  Place conjunction() {
    Place left = term();
    while (left && take("&&", "and")) {
      const Place right = term();
      if (!right) return std::nullopt;
      left = add({.kind = NodeKind::both, .left = *left, .right = *right});
    }
    return left;
  }

  Place term() {
    if (++depth_ > max_depth) {
      fail("the expression is nested too deeply");
      return std::nullopt;
    }
    const Place place = negation_or_group();
    --depth_;
    return place;
  }

  Place negation_or_group() {
    if (take("!", "not")) {
      const Place inner = term();
      if (!inner) return std::nullopt;
      return add({.kind = NodeKind::negation, .left = *inner});
    }
    if (!take("(", "")) return comparison();
    const Place inner = alternatives();
    if (!inner) return std::nullopt;
    if (take(")", "")) return inner;
    fail("\")\" is missing");
    return std::nullopt;
  }

  Place comparison() {
    const auto slot = field();
    if (!slot) return std::nullopt;
    const Token& token = lexer_.token();
    const auto* const found = std::find_if(std::begin(operators), std::end(operators),
                                           [&](const Operator& known) { return known.text == token.text; });
    if (token.kind == TokenKind::quoted || found == std::end(operators)) {
      return add({.kind = NodeKind::presence, .slot = *slot});
    }
    if (!scalar_) {
      fail("a list cannot be compared, only named alone");
      return std::nullopt;
    }
    lexer_.advance();
    const Place literal = value(found->comparison);
    if (!literal) return std::nullopt;
    return add(
        {.kind = NodeKind::comparison, .comparison = found->comparison, .right = *literal, .slot = *slot});
  }

  Place field() {
    const Token& token = lexer_.token();
    if (token.kind != TokenKind::word) {
      fail("the name of a field is expected");
      return std::nullopt;
    }
    std::optional<std::uint32_t> hash;
    for (unsigned kind = 0; kind < record_kind_count; ++kind) {
      for (const auto& known : fields::field_list(static_cast<RecordKind>(kind))) {
        if (known.path != token.text) continue;
        hash = known.hash;
        scalar_ = known.scalar;
        // Every record has these two; naming them narrows no kind by itself.
        if (known.path != "type" && known.path != "capture") program_.touched[kind] = true;
      }
    }
    if (!hash) {
      const std::string nearest = nearest_field(token.text);
      fail("\"" + token.text + "\" is no field of any record" +
           (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
      return std::nullopt;
    }
    names_common_ = names_common_ || token.text == "type" || token.text == "capture";
    const Place slot = slot_of(*hash);
    if (slot) lexer_.advance();
    return slot;
  }

  Place slot_of(std::uint32_t hash) {
    auto& slots = program_.slots;
    const auto found = std::find(slots.begin(), slots.end(), hash);
    if (found != slots.end()) return static_cast<std::size_t>(found - slots.begin());
    if (slots.size() == max_slots) {
      fail("more than " + std::to_string(max_slots) + " different fields");
      return std::nullopt;
    }
    slots.push_back(hash);
    return slots.size() - 1;
  }

  Place value(Comparison comparison) {
    const Token& token = lexer_.token();
    if (token.kind != TokenKind::word && token.kind != TokenKind::quoted) {
      fail("a value is expected");
      return std::nullopt;
    }
    Literal literal;
    literal.text = token.text;
    literal.number = parse_number(token.text);
    literal.null = token.kind == TokenKind::word && token.text == "null";
    if (comparison == Comparison::match || comparison == Comparison::no_match) {
      literal.regex.reset(new regex_t{});
      if (const int code = ::regcomp(literal.regex.get(), token.text.c_str(), REG_EXTENDED | REG_NOSUB);
          code != 0) {
        char reason[160];
        ::regerror(code, literal.regex.get(), reason, sizeof reason);
        delete literal.regex.release();  // not compiled: nothing for regfree()
        fail("the regular expression is wrong: " + std::string(reason));
        return std::nullopt;
      }
    }
    program_.literals.push_back(std::move(literal));
    lexer_.advance();
    return program_.literals.size() - 1;
  }

 public:
  // True when the expression names `type` or `capture`, which every record has.
  [[nodiscard]] bool names_common() const noexcept { return names_common_; }

 private:
  Lexer lexer_;
  Target& program_;
  std::string& error_;
  unsigned depth_ = 0;
  bool scalar_ = true;
  bool names_common_ = false;
};

}  // namespace

}  // namespace filter

std::optional<Filter> Filter::parse(std::string_view expression, std::string& error) {
  constexpr std::size_t longest = 65'536;  // bounds the depth of the tree that matches() walks
  if (expression.size() > longest) {
    error = "the expression is longer than " + std::to_string(longest) + " octets";
    return std::nullopt;
  }
  auto program = std::make_unique<Program>();
  filter::Parser parser(expression, *program, error);
  if (!parser.run()) return std::nullopt;
  if (parser.names_common()) program->touched.fill(true);
  return Filter(std::move(program));
}

Filter::Filter(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

}  // namespace iwarp
