#include <convene/lab/simulation/check_seed.hpp>
#include <convene/lab/simulation/judge_seed.hpp>
#include <convene/lab/simulation/property_judge.hpp>
#include <convene/lab/simulation/property_program.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/session_documents.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// What the user wants to be measured, and what programs judge.
void judge_more(const simulation& what, const seed_log& log,
                const session_result& ended, const turn_failures& failures,
                const std::atomic<bool>& stop, measured_session& measured,
                seed_outcome& made) {
  if (what.measures.empty() && what.programs == nullptr)
    return;
  measured.result = make_summary(ended, failures);
  measured.workspace = ended.report->workspace;
  for (const auto& one : what.measures)
    made.own_measures.push_back(one.of(measured));
  if (what.programs == nullptr)
    return;
  for (std::uint32_t i = 0; i < what.properties.size(); ++i)
    if (const auto& one = what.properties[i];
        one.what == property::kind::program
        && !what.programs->holds(one, made.seed, measured.result, log, stop,
                                 made.findings))
      made.broken.push_back(i);
}

/// Where a part of `text` is in it.
std::size_t offset_in(std::string_view text, std::string_view part) {
  return static_cast<std::size_t>(part.data() - text.data());
}

finding not_given(const boost::json::object& event, std::size_t number) {
  return {.rule = "answer_was_given",
          .session_id = std::string{protocol::text_of(event, "session_id")},
          .line = number,
          .message = "the request is answered, and the participant has not "
                     "answered it yet"};
}

series_rows judge_end(const simulation& what, const seed_log& log,
                      const session_result& ended, const given_answers& given,
                      const std::atomic<bool>& stop, seed_outcome& made) {
  made.has_ended = true;
  made.status = ended.status;
  made.condition = ended.stop_reason.condition;
  if (made.condition == "fault")
    made.findings.add({.rule = "fault",
                       .session_id = ended.collab.collab_id,
                       .message = "the session ended by an internal fault: "
                                  + ended.stop_reason.observed});
  seed_meter meter;
  property_judge properties{what.properties};
  turn_failures failures;
  measured_session measured;
  seed_series series{made.seed};
  state_watch states{made.reached};
  check_seed(log, ended, made.findings,
             [&](std::size_t number, const boost::json::value& event,
                 std::string_view line) {
               if (const auto* object = event.if_object()) {
                 meter.feed(*object);
                 failures.add(*object);
                 if (what.faults) {
                   states.feed(*object);
                   if (!given.explain(*object, offset_in(log.text, line)))
                     made.findings.add(not_given(*object, number));
                 }
                 if (what.series != nullptr)
                   series.feed(*object);
                 if (!what.measures.empty())
                   ++measured.events[std::string{
                     protocol::text_of(*object, "event_type")}];
               }
               if (!what.properties.empty())
                 properties.feed(number, event, line);
             });
  made.measures = meter.finish(ended);
  made.broken = properties.finish(ended, failures, made.findings);
  judge_more(what, log, ended, failures, stop, measured, made);
  return series.finish();
}

} // namespace

finding to_finding(const protocol::error& why) {
  return {.rule = why.rule.empty() ? std::string{to_word(why.code)} : why.rule,
          .message = to_string(why)};
}

std::optional<judged_seed>
judge_seed(const simulation& what, const seeded_scenario& scenario,
           std::uint64_t seed, const std::atomic<bool>& stop) {
  judged_seed made{.outcome = {.seed = seed}};
  auto& outcome = made.outcome;
  result<session_result> ended;
  given_answers given;
  if (what.faults) {
    auto run = run_faulty_seed(scenario.spec, seed, *what.faults,
                               what.log_bytes_max, stop, made.log);
    ended = std::move(run.ended);
    outcome.faults = run.counts;
    outcome.reached = run.reached;
    made.script = std::move(run.script);
    given = std::move(run.given);
  } else {
    ended = run_seed(scenario.spec, seed, what.log_bytes_max, stop, made.log,
                     what.draws);
  }
  if (!ended && ended.error().rule == seed_interrupted)
    return std::nullopt;
  outcome.digest = digest_of(made.log.text);
  if (!ended) {
    outcome.findings.add(to_finding(ended.error()));
    return made;
  }
  made.series = judge_end(what, made.log, *ended, given, stop, outcome);
  if (stop && what.programs != nullptr) // one may have been interrupted
    return std::nullopt;
  made.ended = *std::move(ended);
  return made;
}

} // namespace convene::host
