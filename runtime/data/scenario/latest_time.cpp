#include <convene/runtime/data/scenario/latest_time.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace convene::host {

using namespace protocol;

protocol::timestamp_ms latest_time(const session::spec& of) {
  constexpr auto latest = timestamp_max - session::duration_ms_max;
  protocol::timestamp_ms found = 0;
  const auto see = [&found](const std::optional<std::string>& text) {
    const auto at = text ? protocol::parse_timestamp(*text) : std::nullopt;
    if (at && *at <= latest)
      found = std::max(found, *at);
  };
  const auto see_both = [&see](const auto& document) {
    see(document.created_at);
    see(document.updated_at);
  };
  see_both(of.context);
  see_both(of.context.meta);
  see_both(of.collab);
  see_both(of.collab.meta);
  if (of.plan)
    see_both(of.plan->meta);
  if (of.confirm) {
    see(of.confirm->requested_at);
    see_both(of.confirm->meta);
  }
  return found;
}

} // namespace convene::host
