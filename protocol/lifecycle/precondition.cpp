#include <convene/protocol/lifecycle/precondition.hpp>

#include <iterator>

namespace convene::protocol {
namespace {

struct texts {
  std::string_view meaning;
  std::string_view advice;
};

constexpr texts all[]{
  {"it has a step", "add one"},
  {"its steps have ids of their own and wait only for steps of the plan, in "
   "no circle",
   "correct the plan; convene validate names what is wrong"},
  {"its Context is active", "activate the Context"},
  {"a Confirm about it is approved", "have a Confirm about it approved"},
  {"every step is completed or skipped", "finish the steps, or skip them"},
  {"a step is failed or blocked", "complete the plan, or cancel it"},
  {"its Plan is in progress", "start the Plan"},
  {"every step it waits for is completed", "complete those steps first"},
  {"a step it waits for is failed or blocked", "leave it pending"},
  {"no step it waits for is failed or blocked", "retry that step first"},
  {"its decisions come to that", "record a decision with that status"},
  {"its participants have roles and ids of their own, pair mode has two that "
   "act, and orchestrated mode has an orchestrator",
   "complete the roster"},
  {"every segment has ended", "end the segments first"},
  {"every node is active or retired", "bring the nodes back first"},
  {"the instance can do without the module",
   "make the module one that is not required"},
};
static_assert(std::size(all) == words_of<precondition>.size());

} // namespace

std::string_view meaning_of(precondition what) noexcept {
  return all[static_cast<std::size_t>(what)].meaning;
}

std::string_view advice_for(precondition what) noexcept {
  return all[static_cast<std::size_t>(what)].advice;
}

} // namespace convene::protocol
