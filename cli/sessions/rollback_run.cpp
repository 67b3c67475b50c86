#include <convene/cli/common/now.hpp>
#include <convene/cli/sessions/agent_runs.hpp>
#include <convene/cli/sessions/rollback_run.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/rollback/compensation_run.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::cli {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;
using session::compensation_status;

/// Carries a rollback as far as it gets.
class rollback_process {
public:
  rollback_process(host::rollback_record record, const rollback_request& wanted,
                   const session_order& how)
    : record_{std::move(record)}, wanted_{wanted}, how_{how} {}

  result<rollback_report> carry_out() {
    auto done = begin();
    if (done && report_.end != rollback_end::nothing)
      done = undo();
    if (done && report_.end == rollback_end::nothing)
      done = restore(
        std::min(record_.book().place(), record_.stages().end_place()));
    if (!done)
      return fail(std::move(done).error());
    if (record_.book().open() != nullptr)
      report_.what = *record_.book().open();
    return std::move(report_);
  }

private:
  /// Plans a rollback, or takes up the one that is planned.
  result<void> begin() {
    report_.end = rollback_end::executed;
    report_.may_have_happened = record_.stages().open();
    const auto* const open = record_.book().open();
    if (open == nullptr)
      return plan();
    if (!wanted_.to.empty() && wanted_.to != open->to)
      return fail(errc::not_allowed,
                  "a rollback to " + open->to
                    + " was begun and is not executed: finish it first, "
                      "without --to",
                  "rollback_open");
    note_without(*open);
    return open->has_failed ? go_on(*open) : result<void>{};
  }

  result<void> plan() {
    const auto& stages = record_.stages();
    const auto& book = record_.book();
    const auto made = session::next_rollback(
      stages, book,
      wanted_.to.empty() ? std::string{session::start_stage} : wanted_.to);
    const auto to = stages.place_of(made.to);
    if (!to)
      return fail(errc::usage,
                  "--to " + made.to
                    + ": the run has no such stage; it is start, or the "
                      "step_id of a step that was completed",
                  "known_stage");
    if (*to > book.place())
      return fail(errc::usage,
                  "--to " + made.to
                    + ": the run was rolled back to an earlier stage",
                  "known_stage");
    if (*to == book.place() || !stages.events_at(0)) {
      report_.what.to = made.to;
      report_.end = rollback_end::nothing;
      return {};
    }
    note_without(made);
    return may_run(made).and_then([&] {
      return record_.append(
        {session::rollback_planned(made, stages, book.place(), wanted_.reason)},
        now());
    });
  }

  result<void> go_on(session::rollback failed) {
    std::vector<std::string> settled;
    for (auto& each : failed.compensations) {
      const bool is_unknown = each.status == compensation_status::unknown;
      if (is_unknown && wanted_.unknown.empty())
        return fail(errc::not_allowed,
                    "it is unknown whether the compensation of step "
                      + each.step_id
                      + " took place: look, then continue with --unknown done, "
                        "or with --unknown repeat to run it again",
                    "outcome_unknown");
      if (is_unknown && wanted_.unknown == "done") {
        settled.push_back(each.step_id);
        each.status = compensation_status::completed;
      } else if (each.status != compensation_status::completed) {
        each.status = compensation_status::pending;
      }
    }
    failed.attempt = failed.compensated() ? 0 : record_.book().attempts() + 1;
    return may_run(failed).and_then([&] {
      return record_.append(
        {session::rollback_continued(failed, failed.attempt, settled)}, now());
    });
  }

  /// Whether the compensations may reach what they need, before anything is
  /// recorded.
  result<void> may_run(const session::rollback& what) {
    if (what.attempt == 0)
      return {};
    return host::compensation_scenario(record_, what, now())
      .and_then([&](const session::spec& scenario) {
        return host::may_start(scenario, how_.runtime);
      });
  }

  result<void> undo() {
    if (!record_.book().open()->compensated())
      if (auto done = run_compensations();
          !done || report_.end != rollback_end::executed)
        return done;
    const auto to = record_.stages().place_of(record_.book().open()->to);
    if (auto done = restore(to.value_or(0));
        !done || report_.end != rollback_end::executed)
      return done;
    return finish();
  }

  result<void> run_compensations() {
    const auto what = *record_.book().open();
    const auto folder = record_.run() / session::attempt_folder(what.attempt);
    auto ended = attempt(what, folder);
    if (!ended)
      return fail(std::move(ended).error());
    if (report_.end == rollback_end::suspended)
      return {};
    auto after = what;
    std::vector<json::object> events;
    for (auto& each : after.compensations) {
      if (each.status != compensation_status::pending)
        continue;
      auto outcome = session::outcome_of(each, *ended);
      if (!outcome)
        continue;
      each = *std::move(outcome);
      events.push_back(session::compensation_ended(what, each));
    }
    if (!after.compensated()) {
      events.push_back(session::rollback_failed(after));
      report_.end = rollback_end::failed;
    }
    return record_.append(
      events, std::max(now(), parse_timestamp(ended->time()).value_or(0)));
  }

  /// Runs the session of the attempt, or what is left of it.
  result<session::run_stages> attempt(const session::rollback& what,
                                      const fs::path& folder) {
    auto order = how_;
    order.settings.documents = kept_documents::ended;
    order.settings.aliases.clear();
    auto out = open_attempt(what, folder, order);
    if (!out)
      return fail(std::move(out).error());
    if (auto may = host::may_start(*order.scenario, order.runtime); !may)
      return fail(std::move(may).error());
    auto tally = run_sessions(order, *out);
    if (!tally)
      return fail(std::move(tally).error());
    if (tally->signal != 0) {
      report_.end = rollback_end::suspended;
      report_.signal = tally->signal;
    } else if (!tally->failed.empty()) {
      return fail(tally->failed.front().second);
    } else if (auto written = write_agent_run(*tally, folder, nullptr);
               !written) {
      return fail(std::move(written).error());
    }
    return host::read_stages(folder);
  }

  /// The folder of the attempt, made if nothing has run there.
  result<host::output_folder> open_attempt(const session::rollback& what,
                                           const fs::path& folder,
                                           session_order& order) {
    const auto session = host::session_folder_of(folder);
    std::error_code failed;
    if (fs::exists(session / "run.json", failed)) {
      auto out = host::output_folder::open(session);
      if (!out)
        return out;
      auto scenario = out->take()
                        .and_then([&] { return out->read_scenario(); })
                        .and_then([](const json::value& from) {
                          return session::decode_spec(from);
                        });
      if (!scenario)
        return fail(std::move(scenario).error());
      order.scenario = *std::move(scenario);
      return out;
    }
    auto scenario = host::compensation_scenario(record_, what, now());
    if (!scenario)
      return fail(std::move(scenario).error());
    fs::remove_all(folder, failed);
    auto out = host::output_folder::create(session, false);
    if (!out)
      return out;
    auto kept = out->write_scenario(session::encode(*scenario)).and_then([&] {
      return out->write_settings(order.settings);
    });
    if (!kept)
      return fail(std::move(kept).error());
    order.scenario = *std::move(scenario);
    return out;
  }

  result<void> restore(std::size_t place) {
    if (!wanted_.files)
      return {};
    auto restored = host::restore_files(record_, place, *wanted_.files,
                                        now_ms());
    if (!restored)
      return fail(std::move(restored).error());
    if (!restored->errors.empty())
      report_.end = rollback_end::failed;
    report_.files = *std::move(restored);
    return {};
  }

  result<void> finish() {
    const auto what = *record_.book().open();
    auto graph = record_.graph_rolled_back(what);
    if (!graph)
      return fail(std::move(graph).error());
    report_.node_delta = integer_of(*graph, "node_delta").value_or(0);
    report_.edge_delta = integer_of(*graph, "edge_delta").value_or(0);
    report_.hash = text_of(object_of(*graph, "payload"), "hash");
    report_.what = what;
    const auto files = report_.files ? report_.files->restored.size() : 0;
    std::vector<json::object> events;
    if (!what.graph_told)
      events.push_back(*std::move(graph));
    events.push_back(session::rollback_executed(what, files));
    return record_.append(events, now());
  }

  void note_without(const session::rollback& what) {
    const auto to = record_.stages().place_of(what.to).value_or(0);
    report_.without_compensation = session::without_compensation(
      record_.stages(), record_.book().place(), to);
  }

  /// Where time is virtual, that of the last event, which `append` takes.
  [[nodiscard]] timestamp_ms now() const {
    return how_.runtime.seed
             ? parse_timestamp(record_.stages().time()).value_or(0)
             : now_ms();
  }

  host::rollback_record record_;
  const rollback_request& wanted_;
  const session_order& how_;
  rollback_report report_;
};

} // namespace

result<rollback_report> roll_back(const fs::path& run,
                                  const rollback_request& wanted,
                                  const session_order& how) {
  auto record = host::rollback_record::read(run);
  if (!record)
    return fail(std::move(record).error());
  auto order = how;
  if (order.runtime.seed)
    order.runtime.virtual_start = parse_timestamp(record->stages().time())
                                    .value_or(order.runtime.virtual_start);
  // After a kill none is run again that had ended before the next one began.
  if (order.runtime.durability == protocol::durability::group)
    order.runtime.durability = protocol::durability::strict;
  return rollback_process{*std::move(record), wanted, order}.carry_out();
}

} // namespace convene::cli
