#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/events/any_event.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::array<std::string_view, words_of<event_kind>.size()> schemas{
  "mplp-map-event",
  "mplp-sa-event",
  "mplp-pipeline-stage-event",
  "mplp-graph-update-event",
  "mplp-runtime-execution-event",
  "mplp-event-core",
  "events",
  "mplp-file-update-event",
  "mplp-git-event",
  "mplp-ci-event",
  "mplp-tool-event",
  "learning-sample",
  "mplp-learning-sample-intent",
  "mplp-learning-sample-delta",
  "mplp-learning-sample-core"};
static_assert(std::variant_size_v<any_event> == schemas.size());

/// The schema of an event on a log: either a MAP event or one of a family.
std::string_view schema_of_native(const json::object& event) noexcept {
  const auto family = text_of(event, "event_family");
  return from_word<event_family>(family) ? schema_of_family(family)
                                         : schemas[0];
}

template <class Event>
result<any_event> decode_as(const json::value& from, std::string_view pointer) {
  auto decoded = decode<Event>(from, pointer);
  if (!decoded)
    return fail(std::move(decoded.error()));
  return any_event{*std::move(decoded)};
}

template <std::size_t... i>
result<any_event> decode_kind(const json::value& from, std::string_view pointer,
                              event_kind kind, std::index_sequence<i...>) {
  using decoder = result<any_event> (*)(const json::value&, std::string_view);
  static constexpr std::array<decoder, sizeof...(i)> decoders{
    decode_as<std::variant_alternative_t<i, any_event>>...};
  return decoders[static_cast<std::size_t>(kind)](from, pointer);
}

} // namespace

std::optional<event_kind> guess_kind(const json::value& event) noexcept {
  auto name = guess_schema(event);
  if (name == "convene-native-event")
    name = schema_of_native(event.get_object());
  const auto* const found = std::ranges::find(schemas, name);
  if (found == schemas.end())
    return std::nullopt;
  return static_cast<event_kind>(found - schemas.begin());
}

result<any_event> decode_event(const json::value& from,
                               std::string_view pointer) {
  const auto kind = guess_kind(from);
  if (!kind)
    return fail(
      {.code = errc::invalid_document,
       .message = "this is not a kind of event or learning sample: give "
                  "it the members of one",
       .pointer = std::string{pointer},
       .rule = "event_kind",
       .value = shorten_value(from)});
  return decode_kind(
    from, pointer, *kind,
    std::make_index_sequence<std::variant_size_v<any_event>>{});
}

result<any_event> decode_event_line(std::string_view line,
                                    const json_limits& limits) {
  const auto parsed = parse_json(line, limits);
  if (!parsed)
    return fail(parsed.error());
  return decode_event(*parsed);
}

json::value encode_event(const any_event& event) {
  return std::visit([](const auto& each) { return encode(each); }, event);
}

} // namespace convene::protocol
