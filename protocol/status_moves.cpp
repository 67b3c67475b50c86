#include <convene/protocol/status_moves.hpp>

namespace convene::protocol {

bool may_become(plan_status from, plan_status to) noexcept {
  using enum plan_status;
  switch (from) {
    case draft:
      return to == proposed || to == cancelled;
    case proposed:
      return to == approved || to == draft;
    case approved:
      return to == in_progress;
    case in_progress:
      return to == completed || to == failed || to == cancelled;
    case completed:
    case cancelled:
    case failed:
      break;
  }
  return false;
}

bool may_become(step_status from, step_status to) noexcept {
  using enum step_status;
  switch (from) {
    case pending:
      return to == in_progress || to == blocked || to == skipped;
    case blocked:
      return to == pending;
    case in_progress:
      return to == completed || to == failed;
    case completed:
    case skipped:
    case failed:
      break;
  }
  return false;
}

bool may_become(std::string_view resource, std::string_view from,
                std::string_view to) noexcept {
  if (resource == "plan") {
    const auto a = from_word<plan_status>(from);
    const auto b = from_word<plan_status>(to);
    return a && b && may_become(*a, *b);
  }
  const auto a = from_word<step_status>(from);
  const auto b = from_word<step_status>(to);
  return a && b && may_become(*a, *b);
}

} // namespace convene::protocol
