#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/events/sa_event.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/single_agent/agent_order.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::session {
namespace {

namespace json = boost::json;
using namespace convene::protocol;

constexpr int steps_phase = 3;

/// Where in a run an event stands; below 0: it is none of the profile's.
int phase_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, int>, 8> phases{
    {{"SAInitialized", 0},
     {"SAContextLoaded", 1},
     {"SAPlanEvaluated", 2},
     {"SAStepStarted", steps_phase},
     {"SAStepCompleted", steps_phase},
     {"SAStepFailed", steps_phase},
     {"SATraceEmitted", 4},
     {"SACompleted", 5}}};
  const auto* const found = std::ranges::find(
    phases, type, [](const auto& one) { return one.first; });
  return found == phases.end() ? -1 : found->second;
}

} // namespace

void agent_order::feed(const json::value& whole, const report& to) {
  const auto* members = whole.if_object();
  if (members == nullptr || !members->contains("sa_id"))
    return;
  const auto& event = *members;
  const auto type = text_of(event, "event_type");
  check_run(type, text_of(event, "sa_id"), to);
  check_phase(type, to);
  const auto& payload = object_of(event, "payload");
  if (auto read = decode<sa_event>(whole); !read)
    to("sa_event_payload", read.error().pointer + ": " + read.error().message);
  else if (auto fields = decode_payload(*read); !fields)
    to("sa_event_payload",
       fields.error().pointer + ": " + fields.error().message);
  check_step(type, text_of(payload, "step_id"), to);
  if (type == "SACompleted")
    check_counts(payload, to);
}

void agent_order::feed_step(std::string_view type, std::string_view sa_id,
                            std::string_view step_id, const report& to) {
  check_run(type, sa_id, to);
  check_phase(type, to);
  check_step(type, step_id, to);
}

void agent_order::check_run(std::string_view type, std::string_view sa_id,
                            const report& to) {
  if (sa_id_.empty())
    sa_id_ = sa_id;
  else if (sa_id_ != sa_id)
    to("sa_one_run", std::string{type} + " has the sa_id " + quote(sa_id)
                       + ", the run has " + quote(sa_id_));
}

void agent_order::check_phase(std::string_view type, const report& to) {
  const auto phase = phase_of(type);
  if (phase < 0)
    return to("sa_event_order",
              quote(type) + " is not an event of the profile");
  const bool again = phase == phase_ && phase != steps_phase;
  // A plan of which no step was begun has no step events.
  const auto next = phase_ == steps_phase - 1 ? phase_ + 2 : phase_ + 1;
  if (phase < phase_ || phase > next || again)
    to("sa_event_order",
       std::string{type} + " comes "
         + (last_.empty() ? std::string{"first"} : "after " + last_));
  phase_ = std::max(phase, phase_);
  last_ = type;
}

void agent_order::check_step(std::string_view type, std::string_view step_id,
                             const report& to) {
  if (phase_of(type) != steps_phase)
    return;
  const std::string step{step_id};
  auto& open = open_[step];
  if (type == "SAStepStarted") {
    ++executed_;
    if (std::exchange(open, true))
      to("sa_step_closed_once",
         "step " + quote(step) + " begins while it is being executed");
    return;
  }
  succeeded_ += type == "SAStepCompleted" ? 1 : 0;
  if (!std::exchange(open, false))
    to("sa_step_closed_once",
       "step " + quote(step) + " ends and is not being executed");
}

void agent_order::check_counts(const json::object& payload,
                               const report& to) const {
  for (const auto& [step, open] : open_)
    if (open)
      to("sa_step_closed_once",
         "step " + quote(step) + " is still being executed at the end");
  const auto check = [&](const char* name, std::int64_t expected) {
    const auto is = integer_of(payload, name);
    if (is && *is != expected)
      to("sa_counts", std::string{name} + " is " + std::to_string(*is)
                        + ", the log has " + std::to_string(expected));
  };
  check("steps_executed", executed_);
  check("steps_succeeded", succeeded_);
  check("steps_failed", executed_ - succeeded_);
}

void agent_order::finish(bool allow_unfinished, const report& to) const {
  if (!allow_unfinished && phase_of(last_) != 5)
    to("sa_event_order", "the log ends without SACompleted");
}

} // namespace convene::session
