#include <convene/cli/common/agent_runs.hpp>
#include <convene/cli/common/rollback_run.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <system_error>

namespace convene::cli {

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
    store->put(*run);
    tally.store_failure = store->failure();
  }
  if (is_written)
    return {};
  if (auto written = host::write_agent_run(folder, *run); !written)
    return written;
  tally.results = {run->result};
  return {};
}

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
  // What was shown of the run has ended.
  auto screen = make_screen(outside, common, 1);
  if (!screen)
    return protocol::fail(std::move(screen).error());
  session_order order{.screen = *std::move(screen)};
  order.runtime = ran.runtime;
  if (auto fits = apply(outside, common, order.screen, order.runtime); !fits)
    return fits;
  const auto done
    = roll_back(folder,
                {.to = {}, .files = {}, .unknown = {}, .reason = "plan_failed"},
                order);
  if (!done)
    return protocol::fail(done.error());
  tally.signal = done->signal;
  if (done->end == rollback_end::nothing)
    return {};
  if (common.json) {
    if (tally.results.empty())
      tally.results.push_back(*members);
    tally.results.front().as_object()["rollback"] = to_json(*done);
  } else {
    print_rollback(*done, folder.string(), common);
  }
  return {};
}

} // namespace convene::cli
