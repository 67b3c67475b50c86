// From the JSON form of a condition to one that can be evaluated.

#include <convene/actors/behaviours/reactive_settings.hpp>
#include <convene/actors/behaviours/read_members.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/text/written_pattern.hpp>

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace convene::protocol {

inline constexpr std::array<std::string_view, 5> request_kind_words{
  "turn", "broadcast", "decision", "vote", "escalation"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<session::request_kind>{request_kind_words};

} // namespace convene::protocol

namespace convene::actors {

using namespace convene::protocol;

// Found by argument-dependent lookup, so in the namespace of what they read.

bool read(reading& r, const json::value& from, const place& at,
          const constraint& /*rule*/, text_pattern& to) {
  std::string text;
  if (!read_text(r, from, at, not_empty, text))
    return false;
  auto made = validation::make_written_pattern(text);
  if (!made)
    return r.refuse(at, made.error().rule, made.error().message, shorten(text),
                    made.error().code);
  to.compiled = std::make_shared<const validation::pattern>(*std::move(made));
  return true;
}

/// A number alone is what it equals.
bool read(reading& r, const json::value& from, const place& at,
          const constraint& rule, number_condition& to) {
  if (from.is_number())
    return read_integer(r, from, at, rule, to.equals.emplace());
  return read_members(r, from, at, [&to](auto& v) {
    v.defaulted("equals", to.equals);
    v.defaulted("differs", to.differs);
    v.defaulted("at_most", to.at_most);
    v.defaulted("at_least", to.at_least);
    v.defaulted("below", to.below);
    v.defaulted("above", to.above);
    v.defaulted("multiple_of", to.multiple_of, between(1, 1'000'000'000));
  });
}

/// A text alone is the pattern.
bool read(reading& r, const json::value& from, const place& at,
          const constraint& rule, message_condition& to) {
  if (from.is_string())
    return read(r, from, at, rule, to.matches);
  return read_members(r, from, at, [&to](auto& v) {
    v.defaulted("matches", to.matches);
    v.defaulted("from", to.from, not_empty);
    v.defaulted("latest", to.latest, between(1, 1'000));
  });
}

bool read(reading& r, const json::value& from, const place& at,
          const constraint& /*rule*/, resource_condition& to) {
  std::array<written_value, relation_words.size()> compared;
  if (!read_members(r, from, at, [&](auto& v) {
        v.member("resource_type", to.name.type, not_empty);
        v.member("resource_id", to.name.id, not_empty);
        v.defaulted("pointer", to.pointer);
        v.defaulted("present", to.present);
        v.defaulted("matches", to.matches);
        for (std::size_t i = 0; i < compared.size(); ++i)
          v.defaulted(relation_words[i], compared[i]);
        v.defaulted("version", to.version);
      }))
    return false;
  if (!to.pointer.empty() && to.pointer.front() != '/')
    return r.refuse(place{&at, "pointer", {}}, "pointer_syntax",
                    "write a JSON pointer, which begins with /",
                    shorten(to.pointer));
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const auto* with = compared[i].given;
    if (with == nullptr)
      continue;
    const auto how = static_cast<relation>(i);
    if (wants_number(how) && !with->is_number())
      return r.refuse(place{&at, relation_words[i], {}}, "type",
                      "write a number here", shorten_value(*with));
    to.comparisons.push_back({how, *with});
  }
  return true;
}

bool read(reading& r, const json::value& from, const place& at,
          const constraint& /*rule*/, reactive_condition& to) {
  std::optional<reactive_condition> none;
  if (!read_members(r, from, at, [&](auto& v) {
        v.defaulted("kind", to.kind);
        v.defaulted("participant", to.participant, not_empty);
        v.defaulted("duty", to.duty, not_empty);
        v.defaulted("task", to.task);
        v.defaulted("message", to.message);
        v.defaulted("resource", to.resource);
        v.defaulted("turn", to.turn);
        v.defaulted("round", to.round);
        v.defaulted("attempt", to.attempt);
        v.defaulted("request", to.request);
        v.defaulted("all", to.all, at_most(reactive_choices_max));
        v.defaulted("any", to.any, at_most(reactive_choices_max));
        v.defaulted("not", none);
      }))
    return false;
  if (none)
    to.none.push_back(*std::move(none));
  return true;
}

} // namespace convene::actors
