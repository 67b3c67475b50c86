#include <boost/json/serialize.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/runtime/data/learning/session_samples.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

tl::unexpected<error> sample_fault(std::string why) {
  return fail(errc::internal, "a learning sample is wrong: " + std::move(why),
              "learning_sample");
}

result<void> check_sample(const json::value& sample) {
  const auto by = embedded_schema(guess_schema(sample));
  if (!by)
    return fail(by.error());
  const auto found = validate(*by, sample);
  if (!found.valid)
    return sample_fault(found.violations.empty()
                          ? "its schema does not allow it"
                          : found.violations.front().text);
  const auto& all = embedded_invariants();
  if (!all)
    return fail(all.error());
  static constexpr std::array<std::string_view, 1> sets{"learning"};
  static const auto rules = all->select(sets);
  if (!rules)
    return fail(rules.error());
  const auto broken = check_rules(*rules, invariant_scope::learning_sample,
                                  sample, related_documents{*rules});
  if (broken.broken.empty())
    return {};
  const auto& first = broken.broken.front();
  return sample_fault(first.rule->id + ": " + first.message);
}

/// What the documents of a session say of learning-feedback.
bool consents(const json::object& spec, sample_consent needed) {
  bool lists = false;
  for (const auto* document : {"collab", "plan", "context"}) {
    const auto& meta = object_of(object_of(spec, document), "meta");
    const auto duties = texts_of(meta, "cross_cutting");
    if (std::ranges::find(duties, "learning-feedback") != duties.end())
      return true;
    lists = lists || meta.contains("cross_cutting");
  }
  return needed == sample_consent::not_opted_out && !lists;
}

} // namespace

session_samples::session_samples(sample_options how)
  : how_{how}, samples_{how.scrub} {
  // nop
}

void session_samples::feed(std::string_view lines) {
  while (wanted_ && !lines.empty()) {
    const auto event = parse_json(cut_line(lines));
    if (event && event->is_object())
      feed(event->get_object());
  }
}

void session_samples::feed(const json::object& event) {
  if (text_of(event, "event_type") == "MAPSessionStarted")
    start(object_of(event, "payload"));
  if (!wanted_)
    return;
  if (!agent_)
    return keep(samples_.feed(event));
  const auto line = json::serialize(event);
  for (const auto& told : agent_->feed(line))
    if (const auto made = parse_json(told.line()))
      keep(samples_.feed(made->get_object()));
}

void session_samples::start(const json::object& payload) {
  wanted_ = consents(object_of(payload, "spec"), how_.consent);
  if (text_of(payload, "policy").starts_with("single_agent"))
    agent_.emplace();
}

std::vector<kept_sample> session_samples::take() {
  keep(samples_.finish());
  return std::exchange(kept_, {});
}

void session_samples::keep(const std::vector<json::object>& made) {
  for (const auto& each : made) {
    const json::value sample(each);
    if (auto valid = check_sample(sample); !valid) {
      if (!fault_)
        fault_ = std::move(valid).error();
      continue;
    }
    kept_.push_back({std::string{text_of(sample.get_object(), "sample_id")},
                     one_line(sample)});
  }
}

} // namespace convene::host
