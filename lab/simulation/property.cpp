#include <convene/lab/simulation/property.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/locate.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/session/ending/ending.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::array<std::string_view, 3> property_kinds{"never", "at_end",
                                                         "result"};

tl::unexpected<protocol::error>
refuse_property(std::string pointer, std::string rule, std::string why,
                const json::value& found) {
  return fail({.code = errc::invalid_document,
               .message = std::move(why),
               .pointer = std::move(pointer),
               .rule = std::move(rule),
               .value = shorten_value(found)});
}

template <std::size_t N>
std::string one_of_words(const std::array<std::string_view, N>& words,
                         std::string_view found) {
  std::string all = "write one of";
  for (const auto word : words)
    all.append(all.ends_with("of") ? " " : ", ").append(word);
  return all + " here" + suggest(found, words);
}

std::string below_pointer(std::string pointer, std::string_view name) {
  append_to_pointer(pointer, name);
  return pointer;
}

result<session::end_condition> read_condition(const json::value& from,
                                              const std::string& pointer) {
  const auto* condition = from.if_object();
  if (condition == nullptr)
    return refuse_property(pointer, "type",
                           "write a condition of session.end here, such as "
                           "{\"failures\": 3}",
                           from);
  const auto made = session::make_ending(*condition, pointer);
  if (!made)
    return fail(made.error());
  if (!made->customs().empty())
    return refuse_property(pointer, "known_condition",
                           "only a program that embeds convene has functions "
                           "for custom conditions",
                           from);
  return *condition;
}

result<std::vector<result_comparison>>
read_comparisons(const json::value& from, const std::string& pointer) {
  const auto* members = from.if_object();
  if (members == nullptr || members->empty())
    return refuse_property(pointer, "type",
                           "write members of result.json with what they are "
                           "compared with here, such as {\"turns_total\": "
                           "{\"at_most\": 20}}",
                           from);
  std::vector<result_comparison> all;
  for (const auto& [member, given] : *members) {
    const auto at_member = below_pointer(pointer, member);
    const auto* comparisons = given.if_object();
    if (comparisons == nullptr || comparisons->empty())
      return refuse_property(at_member, "type",
                             "write a comparison here, such as {\"at_most\": "
                             "20}",
                             given);
    for (const auto& [word, value] : *comparisons) {
      const auto at_word = below_pointer(at_member, word);
      const auto known = std::ranges::find(relation_words,
                                           std::string_view{word});
      if (known == relation_words.end())
        return refuse_property(at_word, "enum",
                               one_of_words(relation_words, word), value);
      const auto how = static_cast<relation>(known - relation_words.begin());
      if (wants_number(how) && !value.is_number())
        return refuse_property(at_word, "type", "write a number here", value);
      if (all.size() == properties_max)
        return fail({.code = errc::limit_reached,
                     .message = "a property has at most "
                                + std::to_string(properties_max)
                                + " comparisons",
                     .pointer = at_word,
                     .rule = "properties_max"});
      all.push_back({std::string{member}, how, value});
    }
  }
  return all;
}

result<void> read_part(std::string_view word, const json::value& from,
                       const std::string& pointer, property& into) {
  if (word == "result") {
    into.what = property::kind::result;
    auto all = read_comparisons(from, pointer);
    if (!all)
      return fail(std::move(all).error());
    into.comparisons = *std::move(all);
    return {};
  }
  into.what = word == "never" ? property::kind::never : property::kind::at_end;
  auto condition = read_condition(from, pointer);
  if (!condition)
    return fail(std::move(condition).error());
  into.condition = *std::move(condition);
  return {};
}

result<property> read_property(const json::value& from,
                               const std::string& pointer) {
  const auto* object = from.if_object();
  if (object == nullptr)
    return refuse_property(pointer, "type",
                           "write a property here, such as {\"never\": "
                           "{\"failures\": 3}}",
                           from);
  property made;
  std::size_t kinds = 0;
  for (const auto& [word, value] : *object) {
    const auto at = below_pointer(pointer, word);
    if (word == "name") {
      if (!value.is_string() || value.get_string().empty())
        return refuse_property(at, "type", "write a name here", value);
      made.name = shorten(value.get_string());
      continue;
    }
    if (std::ranges::find(property_kinds, std::string_view{word})
        == property_kinds.end())
      return refuse_property(at, "enum", one_of_words(property_kinds, word),
                             value);
    if (++kinds > 1)
      return refuse_property(at, "one_kind",
                             "a property has one of never, at_end and result; "
                             "make two of it",
                             value);
    if (auto read = read_part(word, value, at, made); !read)
      return fail(std::move(read).error());
  }
  if (kinds == 0)
    return refuse_property(pointer, "required",
                           one_of_words(property_kinds, ""), from);
  return made;
}

/// Null: there is none.
const json::value* member_at(const json::object& from, std::string_view path) {
  const auto dot = path.find('.');
  const auto* found = from.if_contains(path.substr(0, dot));
  if (found == nullptr || dot == path.npos)
    return found;
  const auto* inner = found->if_object();
  return inner == nullptr ? nullptr : member_at(*inner, path.substr(dot + 1));
}

} // namespace

std::string result_comparison::fault_of(const json::object& result) const {
  const auto* found = member_at(result, member);
  if (found == nullptr)
    return "the result has no " + shorten(member);
  if (holds(how, *found, value))
    return {};
  return shorten(member) + " is " + shorten_value(*found) + ", wanted: "
         + std::string{relation_words.at(static_cast<std::size_t>(how))} + ' '
         + shorten_value(value);
}

result<std::vector<property>> parse_properties(const json::value& from,
                                               const std::string& stem) {
  std::vector<property> all;
  const auto add = [&](const json::value& one,
                       const std::string& pointer) -> result<void> {
    auto made = read_property(one, pointer);
    if (!made)
      return fail(std::move(made).error());
    if (made->name.empty())
      made->name = sanitize_utf8(
        from.is_array() ? stem + '/' + std::to_string(all.size()) : stem);
    all.push_back(*std::move(made));
    return {};
  };
  const auto* several = from.if_array();
  if (several != nullptr && several->size() > properties_max)
    return fail({.code = errc::limit_reached,
                 .message = "there are at most "
                            + std::to_string(properties_max) + " properties",
                 .rule = "properties_max"});
  if (several == nullptr) {
    if (auto added = add(from, ""); !added)
      return fail(std::move(added).error());
    return all;
  }
  for (std::size_t i = 0; i < several->size(); ++i)
    if (auto added = add((*several)[i], '/' + std::to_string(i)); !added)
      return fail(std::move(added).error());
  return all;
}

result<std::vector<property>>
read_properties(const std::filesystem::path& file) {
  const auto text = read_file(file, property_file_bytes_max);
  if (!text)
    return fail(text.error());
  auto all = parse_relaxed_json(*text).and_then([&](const json::value& from) {
    return parse_properties(from, file.stem().string());
  });
  return all.map_error(
    [&](error what) { return in_text(in_file(std::move(what), file), *text); });
}

} // namespace convene::host
