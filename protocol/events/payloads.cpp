#include <boost/json/monotonic_resource.hpp>
#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/events/describe_payloads.hpp>

#include <array>
#include <utility>

namespace convene::protocol {
namespace {

/// Reads `from` as the alternative with this index.
template <class Variant>
bool read_alternative(reading& r, const json::value& from, const place& at,
                      std::size_t index, Variant& to) {
  const auto read_if = [&]<std::size_t i>() {
    return i == index && read(r, from, at, anything, to.template emplace<i>());
  };
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (read_if.template operator()<i>() || ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>{});
}

template <class Variant, class Event>
result<Variant> read_payload(const Event& event, std::string_view pointer) {
  reading r;
  Variant to;
  const place whole{.name = pointer};
  static const json::object none;
  // A copy, since only a value is read, but not piece by piece on the heap.
  std::array<unsigned char, 1 << 12> buffer;
  json::monotonic_resource memory{buffer.data(), buffer.size()};
  const json::value from(event.payload ? *event.payload : none, &memory);
  if (!read_alternative(r, from, place{&whole, "payload", {}},
                        static_cast<std::size_t>(event.event_type), to))
    return fail(*std::move(r.fault));
  return to;
}

template <class Event, class Variant>
void write_payload(Event& event, const Variant& from) {
  event.event_type = static_cast<decltype(event.event_type)>(from.index());
  event.payload = std::visit(
    [](const auto& x) { return std::move(write(x).as_object()); }, from);
}

static_assert(
  std::variant_size_v<sa_payload> == words_of<sa_event_type>.size());
static_assert(
  std::variant_size_v<map_payload> == words_of<map_event_type>.size());

/// The member beside the payload that the profile asks for, if it is missing.
std::string_view missing_member(const sa_event& event) {
  using enum sa_event_type;
  switch (event.event_type) {
    case context_loaded:
      return event.context_id ? "" : "context_id";
    case plan_evaluated:
      return event.plan_id ? "" : "plan_id";
    case trace_emitted:
      return event.trace_id ? "" : "trace_id";
    default:
      return "";
  }
}

} // namespace

result<sa_payload> decode_payload(const sa_event& event,
                                  std::string_view pointer) {
  if (const auto name = missing_member(event); !name.empty())
    return fail({.code = errc::invalid_document,
                 .message = std::string{to_word(event.event_type)}
                            + " needs the member \"" + std::string{name}
                            + "\": add it",
                 .pointer = std::string{pointer},
                 .rule = "required"});
  return read_payload<sa_payload>(event, pointer);
}

void set_payload(sa_event& event, const sa_payload& payload) {
  write_payload(event, payload);
}

map_family family_of(map_event_type type) noexcept {
  using enum map_family;
  static constexpr std::array families{graph_update,      graph_update,
                                       runtime_execution, runtime_execution,
                                       communication,     communication,
                                       conflict,          conflict,
                                       graph_update,      communication};
  static_assert(families.size() == words_of<map_event_type>.size());
  return families[static_cast<std::size_t>(type)];
}

result<map_payload> decode_payload(const map_event& event,
                                   std::string_view pointer) {
  return read_payload<map_payload>(event, pointer);
}

void set_payload(map_event& event, const map_payload& payload) {
  write_payload(event, payload);
  event.event_family = family_of(event.event_type);
}

} // namespace convene::protocol
