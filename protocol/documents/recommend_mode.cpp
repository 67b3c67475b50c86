#include <convene/protocol/documents/recommend_mode.hpp>

#include <algorithm>
#include <string_view>

namespace convene::protocol {
namespace {

struct task_row {
  protocol::mode mode;
  std::string_view reason;
};

/// In the order of task_kind.
constexpr task_row by_task[]{
  {mode::orchestrated,
   "a pipeline has stages, and an orchestrator hands the work from one to the "
   "next"},
  {mode::pair, "a peer review is between one who makes and one who looks"},
  {mode::round_robin, "a vote hears everybody once, in a fixed order"},
  {mode::swarm, "parts that do not touch each other can be done at once"},
  {mode::broadcast, "an announcement goes to everybody at once"},
};
static_assert(std::size(by_task) == words_of<task_kind>.size());

bool can_seat(mode which, std::size_t acting) {
  if (which == mode::pair)
    return acting == 2;
  return acting >= 2 || which == mode::round_robin;
}

/// The diagram: by number first, then by what the work needs.
mode_recommendation by_participants(const mode_question& what) {
  if (what.acting == 1)
    return {mode::round_robin, "one participant alone has every turn"};
  if (what.acting == 2)
    return {mode::pair, "two participants work best face to face"};
  if (what.central_control)
    return {mode::orchestrated,
            "three or more under central control need an orchestrator"};
  if (what.independent_work)
    return {mode::swarm, "three or more with independent work need no one to "
                         "tell them whose turn it is"};
  if (what.sequential_turns)
    return {mode::round_robin,
            "three or more whose order matters take turns, one at a time"};
  return {mode::broadcast, "nothing asks for control, independent work or an "
                           "order, so all are asked at once"};
}

} // namespace

std::size_t count_acting(std::span<const participant> participants) noexcept {
  return static_cast<std::size_t>(
    std::ranges::count_if(participants, [](const participant& one) {
      return one.kind != participant_kind::system;
    }));
}

result<mode_recommendation> recommend_mode(const mode_question& what) {
  if (what.acting == 0)
    return fail(errc::activation_refused,
                "no one acts in this session; add a participant that is not "
                "of kind system",
                "map_min_participants");
  if (!what.task)
    return by_participants(what);
  const auto& row = by_task[static_cast<std::size_t>(*what.task)];
  if (can_seat(row.mode, what.acting))
    return mode_recommendation{row.mode, std::string{row.reason}};
  auto other = by_participants(what);
  other.reason += "; " + std::string{to_word(row.mode)} + ", the mode for "
                  + std::string{to_word(*what.task)} + ", does not seat "
                  + std::to_string(what.acting);
  return other;
}

} // namespace convene::protocol
