#include <convene/protocol/invariants/compile.hpp>
#include <convene/protocol/invariants/path.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace convene::protocol {
namespace {

using compiled = tl::expected<invariant_rule, rule_fault>;

tl::unexpected<rule_fault> refuse(std::string_view rule, std::string message) {
  return tl::unexpected<rule_fault>{
    {.member = "rule", .rule = rule, .message = std::move(message)}};
}

std::optional<std::size_t> read_count(std::string_view text) {
  std::size_t count = 0;
  const auto [stop, failed] = std::from_chars(text.data(),
                                              text.data() + text.size(), count);
  if (failed != std::errc{} || stop != text.data() + text.size())
    return std::nullopt;
  return count;
}

compiled compile_length(std::string_view argument, bool exact) {
  const auto count = read_count(argument);
  if (!count)
    return refuse("unknown_rule", quote(argument) + " is not a length");
  return length_rule{.least = *count, .most = exact ? count : std::nullopt};
}

compiled compile_enum(std::string_view argument) {
  word_rule all;
  for (bool more = true; more;) {
    const auto comma = argument.find(',');
    const auto word = argument.substr(0, comma);
    if (word.empty() || word.front() == ' ' || word.back() == ' ')
      return refuse("unknown_rule", "an enum needs words, a comma and no space "
                                    "between them");
    all.words.emplace_back(word);
    more = comma != std::string_view::npos;
    argument.remove_prefix(more ? comma + 1 : argument.size());
  }
  return all;
}

compiled compile_same(std::string_view argument,
                      std::vector<rule_target>& targets) {
  if (argument.size() >= 2 && argument.front() == '"' && argument.back() == '"')
    return same_text_rule{std::string{argument.substr(1, argument.size() - 2)}};
  const auto dot = argument.find('.');
  const auto scope = from_word<invariant_scope>(argument.substr(0, dot));
  if (!scope || dot == std::string_view::npos)
    return refuse("unknown_scope",
                  "eq needs a text in quotes or a path that begins with a kind "
                  "of document, not "
                    + quote(argument));
  rule_target target{.scope = *scope,
                     .path = parse_path(argument.substr(dot + 1))};
  const bool one = std::ranges::none_of(target.path, [](const auto& step) {
    return step.member.empty() && !step.index;
  });
  if (target.path.empty() || !one || target.path.size() > path_steps_max)
    return refuse("bad_path", quote(argument) + " leads to no single value");
  const auto known = std::ranges::find(targets, target);
  const auto index = static_cast<std::size_t>(known - targets.begin());
  if (known == targets.end())
    targets.push_back(std::move(target));
  return same_value_rule{index};
}

} // namespace

compiled compile_rule(std::string_view text,
                      std::vector<rule_target>& targets) {
  if (text == "uuid-v4")
    return uuid_v4_rule{};
  if (text == "non-empty-string")
    return non_empty_rule{};
  if (text == "exists")
    return exists_rule{};
  if (text == "optional-string")
    return text_rule{};
  if (text == "iso-datetime")
    return date_time_rule{};
  if (text == "positive-integer")
    return positive_integer_rule{};
  if (text == "unique")
    return unique_rule{};
  const auto open = text.find('(');
  if (open != std::string_view::npos && text.ends_with(')')) {
    const auto name = text.substr(0, open);
    const auto argument = text.substr(open + 1, text.size() - open - 2);
    if (name == "min-length" || name == "length")
      return compile_length(argument, name == "length");
    if (name == "enum")
      return compile_enum(argument);
    if (name == "eq")
      return compile_same(argument, targets);
  }
  return refuse("unknown_rule",
                quote(text)
                  + " is none of uuid-v4, non-empty-string, exists, "
                    "optional-string, iso-datetime, positive-integer, unique, "
                    "min-length(n), length(n), enum(a,b), eq(path), "
                    "eq(\"text\")");
}

} // namespace convene::protocol
