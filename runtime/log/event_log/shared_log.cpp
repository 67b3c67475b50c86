#include <convene/runtime/log/event_log/shared_log.hpp>

#include <utility>

namespace convene::host {

using namespace protocol;

result<std::optional<std::string>> shared_log::pass(std::string_view lines) {
  const auto from = std::exchange(place_, place_ + lines.size());
  const auto refused = take(lines);
  if (!refused)
    return fail(refused.error());
  if (refused->empty())
    return std::nullopt;
  std::string left;
  std::size_t at = 0;
  for (const auto& each : *refused) {
    if (on_refused_)
      on_refused_(from + each.begin, from + each.end);
    left += lines.substr(at, each.begin - at);
    at = each.end;
  }
  left += lines.substr(at);
  return left;
}

shared_log*
shared_of(const std::vector<std::shared_ptr<log_companion>>& companions) {
  for (const auto& each : companions)
    if (auto* const shared = dynamic_cast<shared_log*>(each.get()))
      return shared;
  return nullptr;
}

} // namespace convene::host
