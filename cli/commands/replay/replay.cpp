#include <convene/cli/commands/check/check_folder.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/blobs/blob_audit.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/recovery/line_head.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct replay_arguments {
  std::string log;
  std::string session; ///< empty: all
};

void add_options(const command_line& command, replay_arguments& arguments) {
  command.add("LOG", arguments.log).required();
  command.add("--session", arguments.session);
}

/// What came of a log.
struct replayed_log {
  std::vector<host::replayed_session> sessions;
  std::uint64_t events = 0;
  std::uint64_t unacknowledged_bytes = 0;
  std::uint64_t sessions_cut = 0;       ///< began in removed segments
  std::optional<error> damage;          ///< where reading had to stop
  std::vector<placed_finding> findings; ///< of the folder, the first ones
  std::size_t findings_total = 0;
  std::size_t diverged = 0;
  std::size_t refused = 0; ///< written under other rules
  std::size_t unfinished = 0;

  [[nodiscard]] bool good() const {
    return diverged == 0 && refused == 0 && !damage && findings_total == 0;
  }
};

/// Whether the session was not compared at all.
bool is_refused(const host::replayed_session& which) {
  return which.divergence && !which.divergence->rule.empty();
}

/// Damage is an answer, not a reason to give none.
bool is_finding(const error& what) {
  return what.rule == "log_damaged" || what.rule == "log_opened_missing"
         || what.rule == host::session_end_missing;
}

result<replayed_log> replay_log(const replay_arguments& arguments) {
  host::log_replay::wish wanted;
  if (!arguments.session.empty())
    wanted = [&](std::string_view id) { return id == arguments.session; };
  const auto is_wanted = [&](const host::line_head& head) {
    return arguments.session.empty() || head.session_id == arguments.session;
  };
  folder_comparison folder{arguments.log};
  host::log_replay again{std::move(wanted),
                         [&](const std::string& id, session::report report) {
                           folder.ended(id, std::move(report), true);
                         }};
  host::blob_audit blobs{arguments.log};
  const auto read
    = host::visit_sessions(arguments.log, [&](const auto& place, auto text) {
        const auto head = host::head_of(text);
        if (is_wanted(head))
          blobs.feed(place, text);
        folder.feed(place, head, text);
        again.feed(place, head.session_id, text);
      });
  if (!read && !is_finding(read.error()))
    return fail(read.error());
  replayed_log all{.sessions = again.finish()};
  if (read) {
    all.unacknowledged_bytes = read->unacknowledged_bytes;
    all.sessions_cut = read->sessions_cut;
  } else {
    all.damage = read.error();
  }
  if (arguments.session.empty()
      && (read || read.error().rule == host::session_end_missing))
    folder.finish(true);
  all.findings = folder.findings();
  all.findings_total = folder.findings_total() + blobs.findings_total();
  for (const auto& found : blobs.findings())
    all.findings.push_back(place_finding(found));
  for (const auto& one : all.sessions) {
    all.events += one.events;
    all.diverged += one.divergence && !is_refused(one) ? 1 : 0;
    all.refused += is_refused(one) ? 1 : 0;
    all.unfinished += one.divergence || one.ended ? 0 : 1;
  }
  if (!arguments.session.empty() && all.sessions.empty() && !all.damage)
    return fail(
      {.code = errc::usage,
       .message = "the log has no event of this session, or not its beginning",
       .file = arguments.log,
       .rule = "session",
       .value = shorten(arguments.session)});
  return all;
}

/// The part of a line around a place in it.
std::string excerpt(const std::string& line, std::size_t at) {
  constexpr std::size_t before = 60;
  constexpr std::size_t most = 160;
  if (line.empty())
    return "nothing";
  const auto from = at > before ? at - before : 0;
  return (from == 0 ? "" : "...") + line.substr(from, most)
         + (from + most < line.size() ? "..." : "");
}

void print_divergence(const replay_arguments& arguments,
                      const host::replayed_session& which) {
  const auto& found = *which.divergence;
  const auto place = found.line == 0
                       ? arguments.log
                       : fmt::format("{}:{}", found.file, found.line);
  const auto same = std::ranges::mismatch(found.expected, found.actual);
  const auto at = static_cast<std::size_t>(same.in1 - found.expected.begin());
  print_line(fmt::format("{}: {} {}", place, which.id.empty() ? "-" : which.id,
                         found.message));
  if (is_refused(which))
    return;
  if (!found.expected.empty() && !found.actual.empty())
    print(fmt::format("  different from byte {} of the line on\n", at + 1));
  print("  expected " + neutral(excerpt(found.expected, at)) + '\n');
  print("  actual   " + neutral(excerpt(found.actual, at)) + '\n');
}

void print_text(const replay_arguments& arguments, const replayed_log& all,
                bool quiet) {
  for (const auto& one : all.sessions)
    if (one.divergence)
      print_divergence(arguments, one);
  if (all.damage)
    print_line(to_string(*all.damage));
  print_findings(all.findings);
  if (quiet)
    return;
  std::string line = fmt::format(
    "{}: {}, {}, {}", arguments.log, plural(all.events, "event"),
    plural(all.sessions.size(), "session"),
    all.good() ? "all as recorded" : plural(all.diverged, "divergence"));
  if (all.refused != 0)
    line += fmt::format(", {} written under other rules", all.refused);
  if (all.findings_total != 0)
    line += ", " + plural(all.findings_total, "finding") + " in the folder";
  if (all.unfinished != 0)
    line += fmt::format(", {} unfinished", all.unfinished);
  if (all.unacknowledged_bytes != 0)
    line += fmt::format(", {} bytes at the end were never acknowledged",
                        all.unacknowledged_bytes);
  line += told_cut(all.sessions_cut);
  print_line(line);
}

json::object to_json(const replay_arguments& arguments,
                     const replayed_log& all) {
  json::array divergences;
  json::array refused;
  for (const auto& one : all.sessions) {
    if (!one.divergence)
      continue;
    const auto& found = *one.divergence;
    if (is_refused(one)) {
      refused.push_back({{"session_id", sanitize_utf8(one.id)},
                         {"file", sanitize_utf8(found.file)},
                         {"line", found.line},
                         {"rule", found.rule},
                         {"message", sanitize_utf8(found.message)}});
      continue;
    }
    divergences.push_back({{"session_id", sanitize_utf8(one.id)},
                           {"file", sanitize_utf8(found.file)},
                           {"line", found.line},
                           {"expected", sanitize_utf8(found.expected)},
                           {"actual", sanitize_utf8(found.actual)},
                           {"message", sanitize_utf8(found.message)}});
  }
  json::object made{{"log", sanitize_utf8(arguments.log)},
                    {"good", all.good()},
                    {"events", all.events},
                    {"sessions", all.sessions.size()},
                    {"unfinished", all.unfinished},
                    {"unacknowledged_bytes", all.unacknowledged_bytes},
                    {"sessions_cut", all.sessions_cut},
                    {"divergences", std::move(divergences)},
                    {"refused", std::move(refused)},
                    {"findings_total", all.findings_total},
                    {"findings", to_json(all.findings)}};
  if (all.damage)
    made["damage"] = {{"file", sanitize_utf8(all.damage->file)},
                      {"line", all.damage->line},
                      {"rule", all.damage->rule},
                      {"message", sanitize_utf8(all.damage->message)}};
  return made;
}

result<int> replay(const replay_arguments& given,
                   const common_options& common) {
  auto arguments = given;
  // A single agent's events follow from the session that executes its plan.
  if (host::is_agent_folder(arguments.log))
    arguments.log = host::session_folder_of(arguments.log);
  const auto all = replay_log(arguments);
  if (!all)
    return fail(all.error());
  if (common.json)
    print_json(to_json(arguments, *all));
  else
    print_text(arguments, *all, common.quiet);
  if (all->diverged != 0 || all->damage || all->findings_total != 0)
    return exit_no;
  return all->refused != 0 ? exit_code(errc::unsupported) : exit_good;
}

} // namespace

void add_replay(const command_line& program) {
  program.add<replay_arguments>("replay", replay, add_options);
}

} // namespace convene::cli
