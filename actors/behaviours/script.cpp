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

} // namespace

answer script_behaviour::respond(const turn_request& asked) {
  return {.reply = reply_to(asked), .delay_ms = lines_->latency_ms};
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
  const auto n = lines_->decisions ? asked.kind_sequence : asked.sequence;
  const auto* line = line_at(lines_->turns, n, lines_->repeat);
  if (line != nullptr)
    return *line;
  return lines_->after.value_or(protocol::reply{.end = true});
}

std::vector<protocol::decision>
script_behaviour::decide(const turn_request& asked) const {
  if (!lines_->decisions)
    return decide_by_plan(asked, lines_->plan);
  const auto* line = line_at(*lines_->decisions, asked.kind_sequence,
                             lines_->repeat);
  if (line != nullptr)
    return line->list;
  // The script did not foresee that its last line is not carried out.
  if (const auto& refused = asked.decide.refused; !refused.empty())
    return {protocol::complete_decision{
      .success = false,
      .reason = "end of the script, its last decision was refused: "
                + refused}};
  return {protocol::complete_decision{.reason = "end of the script"}};
}

} // namespace convene::actors
