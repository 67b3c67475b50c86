#include <convene/protocol/events/any_event.hpp>
#include <convene/protocol/events/map_payloads.hpp>
#include <convene/runtime/data/documents/check_matrix.hpp>

#include <optional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// What the matrix finds wrong with the event, if anything.
std::optional<error> find_fault(const any_event& event) {
  const auto fault_of = [](auto&& payload) {
    return payload ? std::nullopt : std::optional{std::move(payload).error()};
  };
  if (const auto* map = std::get_if<map_event>(&event))
    return fault_of(decode_payload(*map, ""));
  if (const auto* sa = std::get_if<sa_event>(&event))
    return fault_of(decode_payload(*sa, ""));
  return std::nullopt;
}

} // namespace

void check_matrix(std::string_view schema, const json::value& event,
                  const place_finder& find, file_verdict& out) {
  const bool is_map = schema == "mplp-map-event";
  if (!is_map && schema != "mplp-sa-event")
    return;
  const auto decoded = decode_event(event);
  if (!decoded)
    return;
  auto fault = find_fault(*decoded);
  if (!fault)
    return;
  const auto [line, column] = find(fault->pointer);
  add_error(out, {.instance = std::move(fault->pointer),
                  .keyword = "invariant",
                  .message = std::move(fault->message),
                  .line = line,
                  .column = column,
                  .rule = {.id = std::string{event_matrix_rule},
                           .scope = "event",
                           .demanded_by = {is_map ? "S004" : "S002"}}});
}

} // namespace convene::host
