#include <convene/lab/simulation/property_judge.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/session_documents.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

namespace json = boost::json;
using protocol::text_of;

property_judge::property_judge(const std::vector<property>& all)
  : again_(modes::find) {
  all_.reserve(all.size());
  for (const auto& one : all) {
    // Made once before, so it can be made.
    auto made = session::make_ending(one.condition);
    all_.push_back({&one, made ? *std::move(made) : session::ending{}});
  }
  again_.show_inputs([this](const session::input& next) {
    // What there was, until now.
    if (begun_) {
      auto seen = again_.session()->observe();
      seen.now = next.now;
      check_never(seen);
    }
    begun_ = true;
  });
}

void property_judge::feed(std::size_t number, const json::value& event,
                          std::string_view line) {
  if (diverged_)
    return;
  diverged_ = again_.feed(number, event, line).has_value();
  line_ = number;
  if (const auto* object = event.if_object(); object != nullptr && !diverged_)
    record_reply(*object);
}

/// As the machine does for its own conditions: of completed replies.
void property_judge::record_reply(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = protocol::object_of(event, "payload");
  const auto& reply = protocol::object_of(payload, "reply");
  const bool is_broadcast = type == "MAPBroadcastReceived";
  const auto status = text_of(payload, "status");
  const bool counts = type == "MAPTurnCompleted" || is_broadcast
                        ? status == "completed" || status == "handed_off"
                        : text_of(payload, "input") == "decision"
                            && !payload.contains("refused")
                            && text_of(reply, "status") == "completed";
  const auto who = text_of(payload, is_broadcast ? "receiver_participant"
                                                 : "participant_id");
  const auto content = text_of(reply, "content");
  const auto* session = again_.session();
  if (!counts || !payload.contains("reply") || session == nullptr)
    return;
  const auto participants = session->observe().participants;
  const auto found = std::ranges::find(participants, who,
                                       &session::participant_state::id);
  if (found != participants.end())
    for (auto& one : all_)
      one.condition.record_reply(*found, content);
}

void property_judge::check_never(session::observation seen) {
  for (auto& one : all_) {
    if (one.what->what != property::kind::never || !one.broken.empty())
      continue;
    if (const auto held = one.condition.check(seen)) {
      one.broken = "it held: " + std::string{held->condition} + ", "
                   + held->observed;
      one.line = line_;
    }
  }
}

std::string property_judge::fault_at_end(const watched& one,
                                         const session_result& ended,
                                         const turn_failures& failures) const {
  if (one.what->what == property::kind::at_end)
    return begun_ && !one.condition.check(again_.session()->observe())
             ? "it does not hold at the end"
             : "";
  if (one.what->what == property::kind::no_failures)
    return failures.total() == 0
             ? ""
             : std::to_string(failures.total())
                 + " failures, such as: " + failures.groups().front().message;
  const auto result = make_summary(ended, failures);
  for (const auto& comparison : one.what->comparisons)
    if (auto fault = comparison.fault_of(result); !fault.empty())
      return fault;
  return {};
}

std::vector<std::uint32_t> property_judge::finish(const session_result& ended,
                                                  const turn_failures& failures,
                                                  seed_findings& found) {
  if (begun_ && !diverged_)
    check_never(again_.session()->observe());
  std::vector<std::uint32_t> broken;
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    auto& one = all_[i];
    const bool is_judged = !diverged_
                           || one.what->what == property::kind::result
                           || one.what->what == property::kind::no_failures;
    if (one.what->what == property::kind::program)
      continue; // its program does that
    if (one.what->what != property::kind::never && is_judged)
      one.broken = fault_at_end(one, ended, failures);
    if (one.broken.empty())
      continue;
    found.add({.rule = "property",
               .session_id = ended.collab.collab_id,
               .line = one.line,
               .message = one.what->name + ": " + one.broken});
    broken.push_back(i);
  }
  return broken;
}

} // namespace convene::host
