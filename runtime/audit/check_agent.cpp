#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/runtime/audit/check_agent.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <convene/runtime/single_agent/log_digest.hpp>
#include <convene/session/single_agent/agent_order.hpp>

#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

constexpr std::size_t agent_findings_kept = 100;

} // namespace

std::string event_fault(const json::value& event) {
  const auto name = guess_schema(event);
  const auto schema = embedded_schema(name);
  if (!schema)
    return "unknown event type";
  const auto found = validate(*schema, event);
  if (found.valid)
    return {};
  return found.violations.empty() ? "not allowed by " + std::string{name}
                                  : found.violations.front().text;
}

void agent_verdict::note(placed_finding what) {
  ++findings_total;
  if (findings.size() < agent_findings_kept)
    findings.push_back(std::move(what));
}

bool is_agent_log(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed))
    return false;
  // The log's own first line, and the run's first event.
  std::string head(1024, '\0');
  std::ifstream from{file, std::ios::binary};
  from.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(from.gcount()));
  return head.find(R"("event_type":"SAInitialized")") != head.npos;
}

result<agent_verdict> check_agent_log(const fs::path& file,
                                      bool allow_unfinished) {
  agent_verdict all;
  std::string sa_id;
  std::size_t line = 0;
  const session::agent_order::report note = [&](std::string_view rule,
                                                const std::string& message) {
    all.note({file.string(),
              line,
              {.rule = std::string{rule},
               .session_id = sa_id,
               .line = line,
               .message = message}});
  };
  session::agent_order order;
  log_digest sums;
  bool has_ended = false;
  const auto read = visit_log(file, [&](const log_place& place,
                                        std::string_view text) {
    ++all.events;
    line = place.number;
    auto event = parse_json(text);
    if (!event || !event->is_object())
      return note("json", "the line is not an event");
    const auto& members = event->get_object();
    const auto told = log_digest::take_off(*event);
    if (has_ended)
      note("log_digest", "the line comes after the run's last event");
    else if (text_of(members, "event_type") != "SACompleted")
      sums.add(text);
    else if (has_ended = true; !told.empty() && told != sums.of(members))
      note("log_digest", "the lines up to here do not have the digest that the "
                         "last one says: the log was edited");
    if (sa_id.empty())
      sa_id = text_of(members, "sa_id");
    if (auto wrong = event_fault(*event); !wrong.empty())
      note("event_schema", wrong);
    order.feed(*event, note);
  });
  line = 0;
  if (!read && read.error().code == errc::unreadable)
    return fail(read.error());
  if (!read)
    all.note(place_finding(read.error()));
  order.finish(allow_unfinished, note);
  return all;
}

result<agent_verdict> check_agent_folder(const fs::path& folder,
                                         bool allow_unfinished) {
  std::error_code failed;
  if (!fs::exists(folder / "result.json", failed)) {
    agent_verdict none;
    if (!allow_unfinished)
      none.note({folder.string(),
                 0,
                 {.rule = "run_unfinished",
                  .message = "the agent's run has no result.json; continue it "
                             "with convene resume"}});
    return none;
  }
  auto all = check_agent_log(folder / "events.jsonl", allow_unfinished);
  if (!all)
    return all;
  const auto run = read_agent_run(folder);
  if (!run) {
    auto what = run.error();
    if (what.file.empty())
      what.file = session_folder_of(folder).string();
    all->note(place_finding(what));
    return all;
  }
  for (const auto& what : differences(folder, *run))
    all->note(place_finding(what));
  return all;
}

} // namespace convene::host
