#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/agent_runs.hpp>
#include <convene/cli/sessions/rollback_run.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

/// The session's documents that the agent's take the place of.
std::vector<std::string>
texts_of_session(const std::filesystem::path& session) {
  std::vector<std::string> made;
  for (const auto* name :
       {"context.json", "plan.json", "confirm.json", "trace.json"})
    if (auto text = host::read_file(session / name))
      made.push_back(*std::move(text));
  return made;
}

} // namespace

protocol::result<void> write_agent_run(session_tally& tally,
                                       const std::filesystem::path& folder,
                                       session_store* store) {
  const auto session = host::session_folder_of(folder);
  std::error_code failed;
  const bool is_written = tally.results.empty()
                          && std::filesystem::exists(folder / "result.json",
                                                     failed);
  if (!std::filesystem::exists(session / "result.json", failed)
      || (is_written && store == nullptr))
    return {};
  const auto run = host::read_agent_run(folder);
  if (!run)
    return protocol::fail(run.error());
  // Also what is written already: a kill may have left the session's Trace.
  if (store != nullptr) {
    store->put(*run, texts_of_session(session));
    tally.store_failure = store->failure();
  }
  if (is_written)
    return {};
  if (auto written = host::write_agent_run(folder, *run); !written)
    return written;
  tally.results = {run->result};
  return {};
}

namespace {

/// The rollback of a run of which a step has failed.
protocol::result<rollback_report>
roll_back_to_start(const std::filesystem::path& folder,
                   const session_order& ran, const outside_arguments& outside,
                   const common_options& common) {
  // What was shown of the run has ended.
  auto screen = make_screen(outside, common, 1);
  if (!screen)
    return protocol::fail(std::move(screen).error());
  session_order order{.settings = ran.settings,
                      .runtime = ran.runtime,
                      .screen = *std::move(screen)};
  if (auto fits = apply(outside, common, order.screen, order.runtime); !fits)
    return protocol::fail(std::move(fits).error());
  return roll_back(
    folder, {.to = {}, .files = {}, .unknown = {}, .reason = "plan_failed"},
    order);
}

protocol::json::object json_of(const protocol::result<rollback_report>& done) {
  if (done)
    return to_json(*done);
  auto made = error_json(done.error());
  made.emplace("status", "failed");
  return made;
}

/// Rolls a run back to its start if a step has failed and its policy is
/// single_agent_rollback, or finishes that.
protocol::result<void>
roll_back_failed(session_tally& tally, const std::filesystem::path& folder,
                 const session_order& ran, const outside_arguments& outside,
                 const common_options& common) {
  if (!ran.scenario || ran.scenario->options.policy != "single_agent_rollback")
    return {};
  std::error_code failed;
  if (!std::filesystem::exists(folder / "result.json", failed))
    return {};
  const auto result = host::read_file(folder / "result.json")
                        .and_then([](const std::string& text) {
                          return protocol::parse_json(text);
                        });
  if (!result)
    return protocol::fail(result.error());
  const auto* const members = result->if_object();
  if (members == nullptr
      || protocol::text_of(protocol::object_of(*members, "steps"), "status")
           != "failed")
    return {};
  const auto done = roll_back_to_start(folder, ran, outside, common);
  if (done)
    tally.signal = done->signal;
  if (done && done->end == rollback_end::nothing)
    return {};
  if ((!done || common.json) && tally.results.empty()) {
    tally.results.push_back(*members);
    // It has nothing to go on with, and yet something to tell.
    tally.cancelled += done ? 0 : 1;
  }
  if (common.json)
    tally.results.front().as_object()["rollback"] = json_of(done);
  else if (done)
    print_rollback(*done, folder.string(), common);
  else
    print_note("the run cannot be rolled back: " + line_of(done.error()));
  return {};
}

} // namespace

protocol::result<void>
finish_agent_run(session_tally& tally, const std::filesystem::path& folder,
                 const session_order& ran, const outside_arguments& outside,
                 const common_options& common) {
  return write_agent_run(tally, folder, ran.store.get()).and_then([&] {
    return roll_back_failed(tally, folder, ran, outside, common);
  });
}

} // namespace convene::cli
