#include <boost/json/serialize.hpp>
#include <convene/lab/study/variation.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/overrides.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/json_file.hpp>

#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

tl::unexpected<protocol::error> refuse_vary(std::string_view text,
                                            const std::string& why,
                                            std::string rule = "vary") {
  const auto code = rule == "points_max" ? errc::limit_reached : errc::usage;
  return fail(code, "--vary " + std::string{text} + ": " + why,
              std::move(rule));
}

const std::string too_many = "more than " + std::to_string(points_max)
                             + " choices";

/// Where the key ends: at the first equals sign without a backslash.
std::size_t end_of_key(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '=')
      return i;
  return text.npos;
}

/// Splits at commas that are in no array, object or string.
std::vector<std::string_view> split_values(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t depth = 0;
  std::size_t begin = 0;
  bool in_text = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (i == text.size() || (c == ',' && depth == 0 && !in_text)) {
      all.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text && (c == '[' || c == '{')) {
      ++depth;
    } else if (!in_text && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return all;
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc{} || at != end || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::optional<number_range> range_of(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == text.npos)
    return std::nullopt;
  const auto low = number_of(text.substr(0, dots));
  const auto high = number_of(text.substr(dots + 2));
  if (!low || !high)
    return std::nullopt;
  return number_range{*low, *high};
}

/// That a double has exactly.
bool is_whole(double number) {
  constexpr double exact = 1e15;
  return number == std::floor(number) && std::abs(number) <= exact;
}

/// Writes a key so that it is read as the same path again: it is a path.
result<std::vector<choice>> read_choices(const std::filesystem::path& file,
                                         const json::value& from) {
  const auto refuse = [&file](const std::string& pointer, std::string why) {
    auto what = file_error(errc::invalid_document, file, std::move(why),
                           "vary_with");
    what.pointer = pointer;
    return fail(std::move(what));
  };
  const auto* all = from.if_array();
  if (all == nullptr || all->empty())
    return refuse("", "write an array of choices: [{\"name\": \"pair\", "
                      "\"set\": {\"collab.mode\": \"pair\"}}, ...]");
  if (all->size() > points_max) {
    auto what = file_error(errc::limit_reached, file, "has " + too_many,
                           "points_max");
    return fail(std::move(what));
  }
  std::vector<choice> made;
  std::set<std::string> names;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const auto pointer = '/' + std::to_string(i);
    const auto* one = (*all)[i].if_object();
    const auto* name = one == nullptr ? nullptr : one->if_contains("name");
    const auto* set = one == nullptr ? nullptr : one->if_contains("set");
    if (name == nullptr || !name->is_string() || name->get_string().empty()
        || set == nullptr || !set->is_object() || one->size() != 2)
      return refuse(pointer, "a choice has a \"name\", a text, and \"set\", an "
                             "object of what it sets by dotted paths, and "
                             "nothing else");
    if (!names.emplace(name->get_string()).second)
      return refuse(pointer + "/name", "another choice has this name");
    auto& next = made.emplace_back(choice{.value = *name});
    for (const auto& [key, value] : set->get_object()) {
      next.overrides.push_back(std::string{key} + '=' + json::serialize(value));
      const auto parsed = parse_override(next.overrides.back());
      if (!parsed || end_of_key(next.overrides.back()) != key.size())
        return refuse(pointer + "/set",
                      "`" + shorten(std::string{key})
                        + "` is not a dotted path of a member");
    }
  }
  return made;
}

} // namespace

choice choice_of(std::string_view key, json::value value) {
  auto text = std::string{key} + '=' + json::serialize(value);
  return {std::move(value), {std::move(text)}};
}

result<variation> parse_variation(std::string_view text) {
  const auto equals = end_of_key(text);
  if (equals == text.npos || equals + 1 == text.size())
    return refuse_vary(text, "give it as key=v1,v2,...");
  const auto key = text.substr(0, equals);
  if (const auto valid = parse_override(std::string{key} + "=0"); !valid)
    return refuse_vary(text, valid.error().message);
  variation made{.name = std::string{key}};
  const auto values = split_values(text.substr(equals + 1));
  for (const auto value : values) {
    if (value.empty())
      return refuse_vary(text, "there is nothing between two commas");
    const auto range = range_of(value);
    if (range && range->high < range->low)
      return refuse_vary(text, "the last number is below the first");
    if (!range) {
      auto parsed = parse_override(std::string{text.substr(0, equals + 1)}
                                   + std::string{value});
      if (!parsed)
        return refuse_vary(text, parsed.error().message);
      made.choices.push_back(choice_of(key, std::move(parsed->value)));
    } else if (!is_whole(range->low) || !is_whole(range->high)) {
      if (values.size() > 1)
        return refuse_vary(text, "a range of numbers that are not whole has to "
                                 "stand alone");
      made.range = range;
    } else if (range->high - range->low >= points_max) {
      return refuse_vary(text, too_many, "points_max");
    } else {
      for (auto number = static_cast<std::int64_t>(range->low);
           number <= static_cast<std::int64_t>(range->high); ++number)
        made.choices.push_back(choice_of(key, number));
    }
    if (made.choices.size() > points_max)
      return refuse_vary(text, too_many, "points_max");
  }
  return made;
}

result<variation> read_variation(const std::filesystem::path& file) {
  const auto parsed = read_relaxed_json(file);
  if (!parsed)
    return fail(parsed.error());
  return read_choices(file, *parsed).map([&file](std::vector<choice>&& all) {
    return variation{.name = file.stem().string(), .choices = std::move(all)};
  });
}

} // namespace convene::host
