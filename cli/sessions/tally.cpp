#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/tally.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

#include <map>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

int exit_code(const session_tally& tally) {
  if (tally.signal != 0)
    return exit_signal + tally.signal;
  if (tally.store_failure)
    return exit_fault;
  if (!tally.failed.empty())
    return exit_code_of(tally.failed.front().second);
  return tally.cancelled == 0 && tally.fatal_turns == 0 ? exit_good : exit_no;
}

json::array to_json(const std::vector<host::source_note>& notes) {
  json::array all;
  for (const auto& note : notes)
    all.push_back({{"file", sanitize_utf8(note.file)},
                   {"instance", sanitize_utf8(note.pointer)},
                   {"message", sanitize_utf8(note.message)},
                   {"line", note.line},
                   {"column", note.column}});
  return all;
}

/// Errors that are described one by one.
constexpr std::size_t errors_shown = 20;

/// The sessions that failed by what they failed of, with an example.
json::array failures_of(const session_tally& tally) {
  std::map<std::string, std::pair<std::uint64_t, std::string>> by_rule;
  for (const auto& [id, why] : tally.failed) {
    auto& [sessions, example] = by_rule[why.rule];
    if (sessions++ == 0)
      example = sanitize_utf8(to_string(why));
  }
  json::array all;
  for (const auto& [rule, found] : by_rule)
    all.push_back(
      {{"rule", rule}, {"sessions", found.first}, {"message", found.second}});
  return all;
}

json::object summary(const session_tally& tally, const std::string& folder,
                     std::uint32_t instances, bool each) {
  const auto out = sanitize_utf8(folder);
  if (instances == 1 && tally.results.size() == 1) {
    auto only = tally.results.front().as_object();
    only["out"] = out;
    if (tally.store_failure)
      only["store"] = error_json(*tally.store_failure);
    if (tally.learning)
      only["learning"] = to_json(*tally.learning);
    return only;
  }
  json::array errors;
  for (const auto& [id, why] : tally.failed)
    if (each || errors.size() < errors_shown)
      errors.push_back({{"session_id", sanitize_utf8(id)},
                        {"rule", why.rule},
                        {"message", sanitize_utf8(to_string(why))}});
  json::object all{{"out", out},
                   {"instances", instances},
                   {"completed", tally.completed},
                   {"cancelled", tally.cancelled},
                   {"suspended", tally.suspended},
                   {"failed", tally.failed.size()},
                   {"duration_ms", tally.duration_ms}};
  for (auto& member : tally.totals.to_json())
    all.emplace(member.key(), std::move(member.value()));
  all.emplace("failures", failures_of(tally));
  all.emplace("errors", std::move(errors));
  if (tally.store_failure)
    all.emplace("store", error_json(*tally.store_failure));
  if (tally.learning)
    all.emplace("learning", to_json(*tally.learning));
  if (!each)
    return all;
  json::array sessions;
  for (const auto& ended : tally.results)
    sessions.push_back(
      {{"session_id", ended.at("session_id")}, {"status", ended.at("status")}});
  all.emplace("sessions", std::move(sessions));
  return all;
}

/// Whether the store has something else under the run's ids, and keeps it.
bool is_taken(const protocol::error& why) {
  return why.rule == "document_exists" || why.rule == "session_differs"
         || why.rule == "event_differs";
}

/// The sessions that failed, by name, as far as anybody would read.
void print_failed(const session_tally& tally) {
  const auto most = errors_shown;
  for (std::size_t i = 0; i < tally.failed.size() && i < most; ++i)
    print_note(fmt::format("session {}: {}", tally.failed[i].first,
                           line_of(tally.failed[i].second)));
  if (tally.failed.size() > most)
    print_note(fmt::format("{} more sessions failed, each with a reason of "
                           "its own",
                           tally.failed.size() - most));
}

} // namespace

int tell(const session_tally& tally, const std::string& folder,
         std::uint32_t instances, const std::vector<host::source_note>& notes,
         const common_options& common) {
  if (common.json) {
    if (instances == 1 && !tally.failed.empty() && tally.signal == 0)
      return report(tally.failed.front().second, true);
    auto whole = summary(tally, folder, instances, common.verbose);
    if (!notes.empty())
      whole["notes"] = to_json(notes);
    print_json(whole);
    return exit_code(tally);
  }
  print_failed(tally);
  if (tally.store_failure)
    print_note(
      fmt::format("{}; the run itself is whole: to store it, convene "
                  "resume {} with {} --store",
                  line_of(*tally.store_failure), folder,
                  is_taken(*tally.store_failure) ? "another" : "this"));
  if (tally.learning)
    tell(*tally.learning, folder, common);
  if (common.quiet)
    return exit_code(tally);
  if (instances > 1)
    print(fmt::format("{} sessions completed, {} cancelled, in {:.3f} s\n",
                      tally.completed, tally.cancelled,
                      static_cast<double>(tally.duration_ms) / 1000.0)
          + tally.totals.text());
  if (tally.signal != 0 && tally.suspended != 0)
    print_line(fmt::format("{} suspended; to resume: convene resume {}",
                           plural(tally.suspended, "session"), folder));
  else if (tally.signal != 0)
    print_line("interrupted; no session was suspended");
  print((tally.has_documents ? "Log and documents: " : "Log: ")
        + neutral(folder) + '\n');
  return exit_code(tally);
}

} // namespace convene::cli
