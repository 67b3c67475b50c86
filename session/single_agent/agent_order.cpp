#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/events/sa_event.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/single_agent/agent_order.hpp>

#include <algorithm>
#include <array>
#include <optional>
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

/// The members that `decode_payload` needs.
sa_event outline_of(const json::object& event, sa_event_type type) {
  const auto text = [&event](std::string_view name) {
    const auto found = text_of(event, name);
    return found.empty() ? std::nullopt : std::optional<std::string>{found};
  };
  sa_event made{.event_type = type,
                .context_id = text("context_id"),
                .plan_id = text("plan_id"),
                .trace_id = text("trace_id")};
  if (event.contains("payload"))
    made.payload = object_of(event, "payload");
  return made;
}

result<sa_event> read_event(const json::value& event, bool is_valid) {
  const auto& members = event.get_object();
  const auto type = from_word<sa_event_type>(text_of(members, "event_type"));
  return is_valid && type ? outline_of(members, *type)
                          : decode<sa_event>(event);
}

} // namespace

void agent_order::feed(const json::value& whole, const report& to,
                       bool is_valid) {
  const auto* members = whole.if_object();
  if (members == nullptr || !members->contains("sa_id"))
    return;
  const auto& event = *members;
  const auto type = text_of(event, "event_type");
  const auto id = text_of(event, "sa_id");
  if (sa_id_.empty())
    sa_id_ = id;
  else if (sa_id_ != id)
    to("sa_one_run", std::string{type} + " has the sa_id " + quote(id)
                       + ", the run has " + quote(sa_id_));
  check_phase(type, to);
  const auto& payload = object_of(event, "payload");
  if (auto read = read_event(whole, is_valid); !read)
    to("sa_event_payload", read.error().pointer + ": " + read.error().message);
  else if (auto fields = decode_payload(*read); !fields)
    to("sa_event_payload",
       fields.error().pointer + ": " + fields.error().message);
  check_step(type, payload, to);
  if (type == "SACompleted")
    check_counts(payload, to);
}

void agent_order::check_phase(std::string_view type, const report& to) {
  const auto phase = phase_of(type);
  if (phase < 0)
    return to("sa_event_order", quote(type) + " is no event of the profile");
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

void agent_order::check_step(std::string_view type, const json::object& payload,
                             const report& to) {
  if (phase_of(type) != steps_phase)
    return;
  const std::string step{text_of(payload, "step_id")};
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
