// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/advice.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <utility>

#include "commands/help_of.hpp"

namespace iwarp::replay {
namespace {

// Letters to be changed, left out, put in, or exchanged with their neighbour (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, std::move(row));
  }
  return last.back();
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const each : app.get_options()) {
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

const CLI::Option* option_of(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* const each : app.get_options()) {
    if (!each->get_positional() && each->check_name(name)) return each;
  }
  return nullptr;
}

// "--speed" of "--speed=2", "-o" of "-oPLAN".
std::string name_in(std::string_view word) {
  if (!word.starts_with("--")) return std::string(word.substr(0, 2));
  return std::string(word.substr(0, word.find('=')));
}

std::string unknown(const CLI::App& program, const CLI::App& command, const std::string& name) {
  const std::string text = command.get_name() + " has no option " + name;
  std::string owners;
  for (const CLI::App* const other : program.get_subcommands(nullptr)) {
    if (option_of(*other, name) != nullptr) owners += (owners.empty() ? "" : " and ") + other->get_name();
  }
  if (!owners.empty()) return text + ": it is one of " + owners;
  const std::string meant = meant_by(name, options_of(command));
  return meant.empty() ? text : text + "; did you mean " + meant + "?";
}

}  // namespace

std::string meant_by(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  // A third of the letters may be wrong, of a word that was cut short its end; the first ones rarely are.
  std::pair least{word.size() / 3 + 1, std::size_t{0}};
  for (const std::string& each : names) {
    const auto differ = std::ranges::mismatch(word, each);
    const std::pair apart{distance(word, each), static_cast<std::size_t>(differ.in1 - word.begin())};
    const bool nearer =
        apart.first < least.first || (apart.first == least.first && apart.second > least.second);
    if (apart.first > word.size() / 3 || !nearer) continue;
    least = apart;
    best = each;
  }
  if (!best.empty() || word.size() < 4) return best;
  std::vector<std::string> longer;
  std::ranges::copy_if(names, std::back_inserter(longer),
                       [&](const std::string& each) { return each.starts_with(word); });
  return longer.size() == 1 ? longer.front() : std::string();
}

std::string wrong_option(const CLI::App& program, const CLI::App& command,
                         std::span<const char* const> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") return {};
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string name = name_in(word);
    const CLI::Option* const option = option_of(command, name);
    if (option == nullptr) return unknown(program, command, name);
    if (option->get_items_expected_min() == 0 || name.size() != word.size()) continue;
    // An option in the place of the value is not one.
    const bool last = i + 1 == words.size();
    if (last || option_of(command, name_in(words[i + 1])) != nullptr)
      return name + " needs a value: " + synopsis_of(name);
    ++i;
  }
  return {};
}

}  // namespace iwarp::replay
