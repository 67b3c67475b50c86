#include <convene/cli/commands/explain/story_text.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/log_damage.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <convene/session/story/story_json.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// Sessions that are told in full, and those that are looked into at all.
constexpr std::size_t stories_told_max = 20;
constexpr std::size_t stories_max = 10'000;

struct explain_arguments {
  std::string log;
  std::string session;
};

void add_options(const command_line& command, explain_arguments& arguments) {
  command.add("LOG", arguments.log).required();
  command.add("--session", arguments.session);
}

struct told_log {
  std::vector<session::session_story>
    sessions; ///< in the order in which they begin
  std::uint64_t sessions_beyond_events = 0; ///< of sessions above the bound
  std::uint64_t unreadable = 0;             ///< lines
  std::uint64_t unacknowledged_bytes = 0;
  std::optional<error> damage;
};

result<told_log> read_stories(const explain_arguments& arguments) {
  told_log all;
  std::map<std::string, std::size_t, std::less<>> places;
  const auto visit = [&](const host::log_place&, std::string_view text) {
    const auto value = parse_json(text);
    const auto* event = value ? value->if_object() : nullptr;
    if (event == nullptr) {
      ++all.unreadable;
      return;
    }
    const auto id = protocol::text_of(*event, "session_id");
    if (id.empty() || (!arguments.session.empty() && id != arguments.session))
      return;
    auto place = places.find(id);
    if (place == places.end()) {
      if (all.sessions.size() == stories_max) {
        ++all.sessions_beyond_events;
        return;
      }
      place = places.emplace(id, all.sessions.size()).first;
      all.sessions.emplace_back(id);
    }
    all.sessions[place->second].add(*event);
  };
  const std::string path = host::is_agent_folder(arguments.log)
                             ? host::session_folder_of(arguments.log).string()
                             : arguments.log;
  const auto read = host::visit_log(path, visit);
  if (read)
    all.unacknowledged_bytes = read->unacknowledged_bytes;
  else if (host::is_log_damage(read.error()))
    all.damage = read.error();
  else
    return fail(read.error());
  if (all.sessions.empty() && !all.damage)
    return fail({.code = errc::invalid_document,
                 .message = arguments.session.empty()
                              ? "has no events of a session"
                              : "has no session " + quote(arguments.session),
                 .file = arguments.log});
  return all;
}

/// Of sessions that are not told in full: how many ended in which way.
std::string outcomes_after(const told_log& all) {
  std::map<std::string, std::uint64_t, std::less<>> ends;
  std::uint64_t findings = 0;
  for (std::size_t i = stories_told_max; i < all.sessions.size(); ++i) {
    const auto& one = all.sessions[i];
    const auto& facts = one.facts();
    ++ends[facts.has_end ? facts.status + ": "
                             + std::string{protocol::text_of(facts.stop_reason,
                                                             "condition")}
                         : std::string{"without an end"}];
    findings += one.rules().total();
  }
  auto text = '\n'
              + plural(all.sessions.size() - stories_told_max, "more session")
              + ", with " + plural(findings, "failure") + " of the group\n";
  std::size_t shown = 0;
  for (const auto& [how, count] : ends)
    if (++shown <= session::first_told)
      text += "  " + std::to_string(count) + ' ' + fit(neutral(how), 80) + '\n';
  return text + "  --session ID tells one of them\n";
}

void print_stories(const told_log& all, bool no_color) {
  const bool in_color = output_style(no_color, false).colour;
  for (std::size_t i = 0; i < std::min(all.sessions.size(), stories_told_max);
       ++i)
    print((i == 0 ? "" : "\n") + story_text(all.sessions[i], in_color));
  if (all.sessions.size() > stories_told_max)
    print(outcomes_after(all));
  if (all.sessions_beyond_events != 0)
    print_note(plural(all.sessions_beyond_events, "event")
               + " of further sessions left out: name one with --session");
  if (all.unreadable != 0)
    print_note(plural(all.unreadable, "line") + " left out: "
               + (all.unreadable == 1 ? "not an event" : "not events"));
  if (all.unacknowledged_bytes != 0)
    print_note(plural(all.unacknowledged_bytes, "byte")
               + " at the end of the log were never acknowledged");
}

json::object stories_json(const std::string& log, const told_log& all) {
  json::array sessions;
  for (const auto& one : all.sessions)
    sessions.push_back(session::story_json(one));
  return {{"log", sanitize_utf8(log)},
          {"sessions", std::move(sessions)},
          {"events_left_out", all.sessions_beyond_events},
          {"lines_unreadable", all.unreadable},
          {"unacknowledged_bytes", all.unacknowledged_bytes},
          {"damage", all.damage ? json::value{error_json(*all.damage)}
                                : json::value{nullptr}}};
}

result<int> explain(const explain_arguments& arguments,
                    const common_options& common) {
  const auto all = read_stories(arguments);
  if (!all)
    return fail(all.error());
  if (common.json)
    print_json(stories_json(arguments.log, *all));
  else
    print_stories(*all, common.no_color);
  if (!all->damage)
    return exit_good;
  if (!common.json)
    print_note("the rest of the log cannot be read: " + line_of(*all->damage));
  return exit_no;
}

} // namespace

void add_explain(const command_line& program) {
  program.add<explain_arguments>("explain", explain, add_options);
}

} // namespace convene::cli
