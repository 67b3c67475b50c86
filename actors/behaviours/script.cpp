#include <convene/actors/behaviours/script.hpp>

namespace convene::actors {
namespace {

/// The `n`-th line, or null beyond the end.
template <class Line>
const Line*
line_at(const std::vector<Line>& lines, std::size_t n, bool repeat) {
  if (repeat && !lines.empty())
    n %= lines.size();
  return n < lines.size() ? &lines[n] : nullptr;
}

/// What is decided beyond the end of a script.
std::vector<protocol::decision> end_of_script(const turn_request& asked) {
  // The script did not foresee that its last line is not carried out.
  if (const auto& refused = asked.decide.refused; !refused.empty())
    return {protocol::complete_decision{
      .success = false,
      .reason = "end of the script, its last decision was refused: "
                + refused}};
  return {protocol::complete_decision{.reason = "end of the script"}};
}

} // namespace

answer script_behaviour::respond(const turn_request& asked) {
  return {.reply = reply_to(asked), .delay_ms = delay_of(asked)};
}

std::size_t script_behaviour::turn_of(const turn_request& asked) const {
  return lines_->decisions ? asked.kind_sequence : asked.sequence;
}

std::int64_t script_behaviour::delay_of(const turn_request& asked) const {
  const bool is_turn = asked.kind != session::request_kind::decision
                       && asked.dispute.conflict_id.empty();
  const auto* own = is_turn ? line_at(lines_->turn_latency_ms, turn_of(asked),
                                      lines_->repeat)
                            : nullptr;
  return own != nullptr ? *own : lines_->latency_ms;
}

protocol::reply script_behaviour::reply_to(const turn_request& asked) const {
  if (asked.kind == session::request_kind::decision)
    return {.decision = decide(asked)};
  if (!asked.dispute.conflict_id.empty()) {
    const auto* choice = line_at(lines_->votes, asked.sequence, lines_->repeat);
    if (choice == nullptr)
      return {.status = protocol::reply_status::declined};
    return {.vote = protocol::vote{asked.dispute.conflict_id, *choice}};
  }
  const auto* line = line_at(lines_->turns, turn_of(asked), lines_->repeat);
  if (line != nullptr)
    return *line;
  return lines_->after.value_or(protocol::reply{.end = true});
}

std::vector<protocol::decision>
script_behaviour::decide(const turn_request& asked) const {
  if (const auto& all = lines_->decisions) {
    const auto* line = line_at(*all, asked.kind_sequence, lines_->repeat);
    return line != nullptr ? line->list : end_of_script(asked);
  }
  const auto& turns = lines_->turns;
  const auto* line = line_at(turns, asked.sequence, lines_->repeat);
  if (line == nullptr && lines_->after)
    line = &*lines_->after;
  if (line != nullptr && !line->decision.empty())
    return line->decision;
  // A decision is the first that an orchestrator is asked for: whose first
  // line has none leaves them to the plan, also at the end.
  const bool is_over = line == nullptr && !turns.empty()
                       && !turns.front().decision.empty();
  return is_over ? end_of_script(asked) : decide_by_plan(asked, lines_->plan);
}

} // namespace convene::actors
