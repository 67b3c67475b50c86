#include "sample.hpp"

#include <convene/protocol/checks/event_check.hpp>
#include <convene/protocol/json/json_text.hpp>

namespace convene::tests {

reply_function says(std::string content, bool end) {
  return
    [=](const turn_request&) { return reply{.content = content, .end = end}; };
}

reply_function leads(std::string whom) {
  return [=](const turn_request& asked) -> reply {
    if (asked.kind != session::request_kind::decision)
      return {.content = "led"};
    if (asked.kind_sequence == 0)
      return {.decision = {protocol::dispatch_decision{.participant = whom}}};
    return {.decision = {protocol::complete_decision{}}};
  };
}

session_setup two_in(mode how) {
  session_setup made{.mode = how,
                     .participants
                     = {quick_agent("a", "role-a", leads("b")),
                        quick_agent("b", "role-b", says("worked", true))},
                     .task = "work"};
  if (how == mode::orchestrated)
    made.options.orchestrator = "a";
  return made;
}

session::spec simulated_in(mode how, std::uint64_t number) {
  protocol::uuid_source ids{number};
  auto made = make_spec(two_in(how), ids, 0);
  made.behaviours
    = {{"*",
        {{"type", "simulated"},
         {"latency_ms", {{"uniform", {{"min", 1}, {"max", 1000}}}}},
         {"failure", 0.1},
         {"decline", 0.1},
         {"silence", 0.05}}}};
  return made;
}

std::string how(const result<session_result>& ended) {
  return ended ? ended->stop_reason.condition
               : "error: " + to_string(ended.error());
}

std::string findings_in(const std::filesystem::path& log,
                        std::size_t& sessions) {
  const auto contents = host::read_log(log);
  if (!contents)
    return to_string(contents.error());
  protocol::event_checker checker;
  for (const auto& line : contents->lines) {
    const auto event = protocol::parse_json(line.text);
    if (event)
      checker.feed(line.number, *event);
    else
      checker.feed_invalid(line.number, event.error().message);
  }
  std::string all;
  for (const auto& f : checker.finish())
    all += f.rule + ": " + f.message + '\n';
  sessions = checker.sessions_total();
  return all;
}

} // namespace convene::tests
