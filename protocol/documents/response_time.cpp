#include <convene/protocol/documents/approval.hpp>
#include <convene/protocol/documents/response_time.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::string_view person_type = "human";
constexpr std::string_view slow_types[]{"human", "llm", "process", "http",
                                        "a2a",   "mcp", "external"};
constexpr std::int64_t person_ms = std::int64_t{24} * 3600 * 1000;
constexpr std::int64_t longest_ms = std::int64_t{366} * 24 * 3600 * 1000;
constexpr std::int64_t slow_ms = std::int64_t{5} * 60 * 1000;

std::string_view type_of(const json::value& entry) {
  const auto* object = entry.if_object();
  return object == nullptr ? std::string_view{} : text_of(*object, "type");
}

} // namespace

bool takes_its_time(const json::value& entry) {
  return std::ranges::find(slow_types, type_of(entry)) != std::end(slow_types);
}

response_time response_time_of(const json::object& behaviours,
                               std::string_view participant_id,
                               std::optional<std::int64_t> turn_timeout_ms) {
  const auto* entry = behaviours.if_contains(participant_id);
  if (entry == nullptr)
    entry = behaviours.if_contains("*");
  response_time made;
  std::optional<std::int64_t> own;
  if (entry != nullptr && takes_its_time(*entry)) {
    made.is_person = type_of(*entry) == person_type;
    made.asks_person = asks_approval(entry->get_object());
    made.timeout_ms = made.is_person || made.asks_person ? person_ms : slow_ms;
    if (!made.asks_person)
      own = integer_of(entry->get_object(), "timeout_ms");
  }
  // What is no time is refused where behaviours are made.
  if (own && *own > 0)
    made.timeout_ms = std::min(*own, longest_ms);
  else if (turn_timeout_ms)
    made.timeout_ms = *turn_timeout_ms;
  return made;
}

} // namespace convene::protocol
