#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/audit/check_folder.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>
#include <convene/runtime/session_documents.hpp>
#include <convene/runtime/setup.hpp>
#include <convene/session/spec/spec.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

namespace {

constexpr std::size_t folder_findings_kept = 100;

/// Whether somebody put a log here and nothing beside it.
bool is_bare(const output_folder& folder) {
  std::error_code failed;
  return !folder.has_scenario()
         && !std::filesystem::exists(folder.path() / "run.json", failed);
}

} // namespace

folder_comparison::folder_comparison(const std::string& log) {
  std::error_code failed;
  if (!std::filesystem::is_directory(log, failed))
    return;
  auto folder = output_folder::open(log);
  if (!folder)
    return;
  std::vector<error> damaged;
  for (auto& id : folder->sessions_with_result(&damaged))
    told_.insert(std::move(id));
  std::ranges::sort(damaged, {}, &error::file);
  for (const auto& each : damaged)
    note(each);
  folder_ = std::move(*folder);
  // What cannot be read is noted at the end.
  const auto settings = folder_->read_settings();
  if (!settings || is_bare(*folder_) || !folder_->has_scenario())
    return;
  auto scenario = folder_->read_scenario().and_then(
    [](const json::value& document) { return session::decode_spec(document); });
  if (!scenario)
    return;
  scenario_ = *std::move(scenario);
  for (std::uint32_t i = 0; i < settings->instances; ++i)
    numbers_.emplace(session_id_of(*scenario_, i), i);
}

void folder_comparison::note(std::string file, std::string rule, std::string id,
                             std::string message) {
  ++total_;
  if (findings_.size() < folder_findings_kept)
    findings_.push_back({std::move(file),
                         0,
                         {.rule = std::move(rule),
                          .session_id = std::move(id),
                          .message = std::move(message)}});
}

void folder_comparison::note(const error& what) {
  note(what.file, what.rule.empty() ? "unreadable" : what.rule, "",
       what.message);
}

void folder_comparison::feed(const log_place& place, const line_head& head,
                             std::string_view line) {
  if (!folder_)
    return;
  found_.feed(place, head, line);
  if (head.event_type == "MAPSessionStarted")
    compare_scenario(std::string{head.session_id}, line);
  auto trace = traces_.find(head.session_id);
  if (trace == traces_.end() && has_result(head.session_id))
    trace = traces_.try_emplace(std::string{head.session_id}).first;
  if (trace != traces_.end())
    trace->second.add(line);
}

void folder_comparison::ended(const std::string& id, session::report report,
                              bool workspace) {
  auto trace = traces_.extract(id);
  if (!folder_ || trace.empty())
    return;
  const auto result = make_result(std::move(report));
  const auto documents = make_documents(result, trace.mapped());
  for (auto& what : folder_->differences(documents)) {
    const std::filesystem::path file{what.file};
    std::error_code failed;
    if (workspace || file.filename() != "workspace.json"
        || !std::filesystem::exists(file, failed))
      note(std::move(what.file), std::move(what.rule), id,
           std::move(what.message));
  }
}

void folder_comparison::finish(bool unfinished) {
  if (!folder_)
    return;
  const bool trimmed = is_trimmed(folder_->log());
  for (const auto& id : told_) {
    const auto* session = found_.find(id);
    if (session == nullptr ? !trimmed : !session->has_ended)
      note(folder_->log().string(), "session_end_missing", id,
           std::string{"it has a result.json, and the log has no "}
             + (session == nullptr ? "event" : "end") + " of it");
  }
  if (!trimmed && !is_bare(*folder_))
    compare_sessions(unfinished);
}

void folder_comparison::compare_scenario(const std::string& id,
                                         std::string_view line) {
  const auto number = numbers_.extract(id);
  auto event = parse_json(line);
  if (number.empty() || !event || !event->is_object())
    return;
  auto started = session::decode_spec(
    object_of(object_of(event->as_object(), "payload"), "spec"));
  if (!started) // a finding about the log
    return;
  auto expected = another(*scenario_, number.mapped());
  // Version 0.1.0 left all sessions the Confirm's id.
  if (expected.confirm && started->confirm
      && started->confirm->confirm_id == scenario_->confirm->confirm_id)
    expected.confirm->confirm_id = scenario_->confirm->confirm_id;
  for (auto* each : {&*started, &expected}) // as a session does first
    session::fill_turn_timeout(*each);
  const auto told = session::encode(*started);
  const auto mine = session::encode(expected);
  const auto differs = [](const json::object& one, const json::object& other) {
    return std::ranges::find_if(one, [&other](const auto& member) {
      const auto* same = other.if_contains(member.key());
      return same == nullptr || *same != member.value();
    });
  };
  std::string member;
  if (const auto at = differs(mine, told); at != mine.end())
    member = at->key();
  else if (const auto back = differs(told, mine); back != told.end())
    member = back->key();
  else
    return;
  note((folder_->path() / "scenario.json").string(), "scenario_differs", id,
       "the session on the log was started with another /" + member);
}

/// The sessions that the folder says there are with those on the log.
void folder_comparison::compare_sessions(bool unfinished) {
  const auto settings = folder_->read_settings();
  if (!settings)
    return note(settings.error());
  if (!folder_->has_scenario())
    return;
  const auto scenario = folder_->read_scenario().and_then(
    [](const json::value& document) { return session::decode_spec(document); });
  if (!scenario)
    return note((folder_->path() / "scenario.json").string(),
                "scenario_unreadable", "", to_string(scenario.error()));
  std::set<std::string, std::less<>> expected;
  for (std::uint32_t i = 0; i < settings->instances; ++i)
    expected.insert(session_id_of(*scenario, i));
  for (const auto& id : expected)
    if (!unfinished && found_.find(id) == nullptr && !has_result(id))
      note(folder_->log().string(), "session_missing", id,
           "the run has this session, and the log has no event of it");
  for (const auto& session : found_.sessions())
    if (!expected.contains(session.id))
      note(folder_->log().string(), "session_unknown", session.id,
           "the log has this session, and the run has none of this id");
}

} // namespace convene::host
