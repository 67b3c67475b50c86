#include <convene/protocol/json/members.hpp>
#include <convene/runtime/audit/check_rollback.hpp>
#include <convene/runtime/rollback/rollback_record.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

/// Holds the events of rollbacks against what they are about.
class rollback_comparison {
public:
  rollback_comparison(const fs::path& run, agent_verdict& to)
    : run_{run}, to_{to} {}

  void see(const rollback_record& before, std::size_t line,
           const json::object& event) {
    ++to_.events;
    line_ = line;
    id_ = before.stages().sa_id();
    if (auto wrong = event_fault(event); !wrong.empty())
      note("event_schema", wrong);
    if (text_of(event, "event_id") != before.next_event_id())
      note("rollback_event", "event_id is not the one that follows");
    const auto at = parse_timestamp(text_of(event, "timestamp"));
    if (at && *at < before.earliest())
      note("rollback_event", "timestamp is before that of the run or of the "
                             "event before");
    compare(before, event);
  }

  void note(std::string rule, std::string message) {
    to_.note({rollback_file_of(run_).string(),
              line_,
              {.rule = std::move(rule),
               .session_id = id_,
               .line = line_,
               .message = std::move(message)}});
  }

private:
  /// An event that cannot be here at all is left to the book.
  void compare(const rollback_record& before, const json::object& event) {
    const auto* const open = before.book().open();
    const auto type = text_of(event, "event_type");
    if (open == nullptr) {
      if (type == "rollback_planned")
        compare_plan(before, event);
    } else if (type == "rollback_continued") {
      compare_continued(before.book(), event);
    } else if (type == "compensation_ended") {
      compare_outcome(before.book(), event);
    } else if (type == "rollback_failed") {
      compare_all("rollback_event", session::rollback_failed(*open), event);
    } else if (type == "graph_rolled_back") {
      compare_graph(before, *open, event);
    } else if (type == "rollback_executed") {
      const auto files = integer_of(object_of(event, "payload"),
                                    "files_restored");
      compare_all("rollback_event",
                  session::rollback_executed(
                    *open, static_cast<std::size_t>(
                             std::max<std::int64_t>(0, files.value_or(0)))),
                  event);
    }
  }

  void compare_plan(const rollback_record& before, const json::object& event) {
    const auto& payload = object_of(event, "payload");
    const auto reason = text_of(payload, "reason");
    if (reason != "asked for" && reason != "plan_failed")
      note("rollback_event", "reason is not asked for, nor plan_failed");
    const auto made = session::next_rollback(
      before.stages(), before.book(), std::string{text_of(payload, "to")});
    compare_all("rollback_event",
                session::rollback_planned(made, before.stages(),
                                          before.book().place(), reason),
                event);
  }

  void compare_continued(const session::rollback_book& book,
                         const json::object& event) {
    const auto settled = session::settled_in(event);
    const auto* const first = book.next();
    if (first == nullptr)
      return;
    const bool is_last = first == &book.open()->compensations.back();
    const auto attempt = is_last && !settled.empty() ? 0 : book.attempts() + 1;
    compare_all("rollback_event",
                session::rollback_continued(*book.open(), attempt, settled),
                event);
  }

  void compare_outcome(const session::rollback_book& book,
                       const json::object& event) {
    const auto* const next = book.next();
    const auto id = text_of(object_of(event, "payload"), "step_id");
    if (next == nullptr || next->step_id != id)
      return;
    const auto number = book.open()->attempt;
    if (!attempt_ || attempt_->first != number)
      attempt_.emplace(number,
                       read_stages(run_ / session::attempt_folder(number)));
    const auto& [at, stages] = *attempt_;
    if (!stages)
      return note("rollback_outcome", to_string(stages.error()));
    const auto outcome = session::outcome_of(*next, *stages);
    if (!outcome)
      return note("rollback_outcome", "the compensation of step " + quote(id)
                                        + " never began in "
                                        + session::attempt_folder(number));
    compare_all("rollback_outcome",
                session::compensation_ended(*book.open(), *outcome), event);
  }

  void compare_graph(const rollback_record& before,
                     const session::rollback& open, const json::object& event) {
    const auto expected = before.graph_rolled_back(open);
    if (!expected)
      return note("rollback_graph", to_string(expected.error()));
    compare_all("rollback_graph", *expected, event);
  }

  void compare_all(std::string_view rule, const json::object& expected,
                   const json::object& event) {
    compare_members(rule, expected, event, "");
    for (const auto& [name, value] : event)
      if (name != "event_id" && name != "timestamp" && !expected.contains(name))
        note(std::string{rule}, quote(name) + " is not a member of this event");
  }

  void compare_members(std::string_view rule, const json::object& expected,
                       const json::object& event, const std::string& below) {
    for (const auto& [name, value] : expected) {
      const auto path = below + std::string{name};
      const auto* const is = event.if_contains(name);
      if (is != nullptr && *is == value)
        continue;
      if (is != nullptr && is->is_object() && value.is_object()
          && name == "payload")
        compare_payload(rule, value.get_object(), is->get_object());
      else
        note(std::string{rule}, path + " is not what run and rollback make it");
    }
  }

  void compare_payload(std::string_view rule, const json::object& expected,
                       const json::object& payload) {
    compare_members(rule, expected, payload, "payload.");
    for (const auto& each : payload)
      if (!expected.contains(each.key()))
        note(std::string{rule},
             quote(each.key()) + " is not a member of this event's payload");
  }

  const fs::path& run_;
  agent_verdict& to_;
  std::size_t line_ = 0;
  std::string id_;
  /// The latest that was read.
  std::optional<std::pair<std::size_t, result<session::run_stages>>> attempt_;
};

} // namespace

agent_verdict check_rollback(const fs::path& run, bool allow_unfinished) {
  agent_verdict all;
  if (!was_rolled_back(run))
    return all;
  rollback_comparison compare{run, all};
  const auto record = rollback_record::read(
    run, [&](const rollback_record& before, std::size_t line,
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
  for (std::size_t i = 1; was_rolled_back(run); ++i) {
    auto folder = run / session::attempt_folder(i);
    if (!fs::exists(fs::symlink_status(folder, failed)))
      break;
    all.push_back(std::move(folder));
  }
  return all;
}

bool rests_rolled_back(const fs::path& run) {
  if (!was_rolled_back(run))
    return false;
  const auto stages = read_stages(run);
  return stages && !stages->has_ended();
}

} // namespace convene::host
