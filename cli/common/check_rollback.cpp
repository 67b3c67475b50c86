#include <convene/cli/common/check_rollback.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/rollback/rollback_record.hpp>

#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace convene::cli {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

/// Holds the events of rollbacks against what they are about.
class rollback_comparison {
public:
  rollback_comparison(const fs::path& run, agent_verdict& to)
    : run_{run}, to_{to} {}

  void see(const host::rollback_record& before, std::size_t line,
           const json::object& event) {
    ++to_.events;
    line_ = line;
    id_ = before.stages().sa_id();
    if (auto wrong = event_fault(event); !wrong.empty())
      note("event_schema", wrong);
    const auto* const open = before.book().open();
    const auto type = text_of(event, "event_type");
    if (open != nullptr && type == "graph_rolled_back")
      compare_graph(before, *open, event);
    else if (open != nullptr && type == "compensation_ended")
      compare_outcome(*open, object_of(event, "payload"));
  }

  void note(std::string rule, std::string message) {
    to_.note({host::rollback_file_of(run_).string(),
              line_,
              {.rule = std::move(rule),
               .session_id = id_,
               .line = line_,
               .message = std::move(message)}});
  }

private:
  void compare_graph(const host::rollback_record& before,
                     const session::rollback& open, const json::object& event) {
    const auto expected = before.graph_rolled_back(open);
    if (!expected)
      return note("rollback_graph", to_string(expected.error()));
    for (const auto& [name, value] : *expected)
      if (const auto* is = event.if_contains(name);
          is == nullptr || *is != value)
        note("rollback_graph",
             std::string{name} + " is not what the run's log makes of it");
  }

  void compare_outcome(const session::rollback& open,
                       const json::object& payload) {
    auto found = attempts_.find(open.attempt);
    if (found == attempts_.end())
      found = attempts_
                .emplace(open.attempt,
                         host::read_stages(
                           run_ / session::attempt_folder(open.attempt)))
                .first;
    if (!found->second)
      return note("rollback_outcome", to_string(found->second.error()));
    const auto id = text_of(payload, "step_id");
    for (const auto& each : session::outcomes_of(open, *found->second))
      if (each.step_id == id
          && to_word(each.status) == text_of(payload, "status"))
        return;
    note("rollback_outcome", "the compensation of step " + quote(id)
                               + " did not end so in "
                               + session::attempt_folder(open.attempt));
  }

  const fs::path& run_;
  agent_verdict& to_;
  std::size_t line_ = 0;
  std::string id_;
  std::map<std::size_t, result<session::run_stages>> attempts_;
};

} // namespace

agent_verdict check_rollback(const fs::path& run, bool allow_unfinished) {
  agent_verdict all;
  if (!host::was_rolled_back(run))
    return all;
  rollback_comparison compare{run, all};
  const auto record = host::rollback_record::read(
    run, [&](const host::rollback_record& before, std::size_t line,
             const json::object& event) { compare.see(before, line, event); });
  if (!record) {
    all.note(place_finding(record.error()));
    return all;
  }
  const auto* const open = record->book().open();
  if (open != nullptr && !open->has_failed && !allow_unfinished)
    compare.note("rollback_unfinished",
                 "the rollback was begun and is not executed; finish it with "
                 "convene rollback "
                   + run.string());
  return all;
}

std::vector<fs::path> attempt_folders(const fs::path& run) {
  std::vector<fs::path> all;
  std::error_code failed;
  for (std::size_t i = 1; host::was_rolled_back(run); ++i) {
    auto folder = run / session::attempt_folder(i);
    if (!fs::exists(folder, failed))
      break;
    all.push_back(std::move(folder));
  }
  return all;
}

} // namespace convene::cli
