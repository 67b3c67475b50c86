#include <convene/cli/commands/inbox/inbox_arguments.hpp>
#include <convene/cli/commands/inbox/inbox_desk.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stop_token>

namespace convene::cli {
namespace {

using namespace convene::protocol;

constexpr std::size_t answer_file_bytes_max = std::size_t{1} << 20;
/// Questions that are remembered as shown.
constexpr std::size_t known_max = 10'000;

json::object to_json(const run_interrupt& of) {
  json::object made{{"runId", of.run_id},   {"workflowId", of.workflow_id},
                    {"nodeId", of.node_id}, {"interruptId", of.interrupt_id},
                    {"kind", of.kind},      {"data", of.data}};
  if (!of.deadline.empty())
    made["deadline"] = of.deadline;
  if (of.resume_schema)
    made["resumeSchema"] = *of.resume_schema;
  if (!of.turns.empty()) {
    made["turns"] = of.turns;
    made["turnCount"] = of.turn_count;
  }
  if (of.schema)
    made["schema"] = *of.schema;
  return made;
}

int list_questions(const client& server, const inbox_arguments& asked) {
  const auto found = look_into(server, wish_of(asked));
  if (!found)
    return report(found.error(), true);
  json::array requests;
  for (const auto& each : found->of_sessions.all)
    requests.push_back(host::to_json(each));
  json::array interrupts;
  for (const auto& each : found->of_runs.all)
    interrupts.push_back(to_json(each));
  print_json(
    json::object{{"requests", std::move(requests)},
                 {"interrupts", std::move(interrupts)},
                 {"more", found->of_sessions.more || found->of_runs.more}});
  return exit_good;
}

/// Each question as it is asked, a line each.
int follow_questions(const client& server, const inbox_arguments& asked,
                     const std::stop_token& stop) {
  constexpr std::chrono::seconds look_again{2};
  const auto whose = wish_of(asked);
  std::set<question_key> known;
  while (!stop.stop_requested() && !output_gone()) {
    const auto found = look_into(server, whose, stop);
    if (!found && found.error().code != errc::io_failed)
      return report(found.error(), true);
    std::set<question_key> listed;
    if (found) {
      for (const auto& each : found->of_sessions.all) {
        listed.insert(key_of(each));
        if (!known.contains(key_of(each)))
          print_json_text(host::request_json(each) + '\n');
      }
      for (const auto& each : found->of_runs.all) {
        listed.insert(key_of(each));
        if (!known.contains(key_of(each)))
          print_json_line(to_json(each));
      }
      flush_output();
      if ((found->of_sessions.more || found->of_runs.more)
          && known.size() < known_max)
        listed.merge(known);
      known = std::move(listed);
    }
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock held{mutex};
    changed.wait_for(held, stop, look_again, [] { return false; });
  }
  return exit_good;
}

result<int> open_inbox(const inbox_arguments& asked,
                       const common_options& common) {
  std::stop_source stop;
  const signal_watch signals{[&stop] { stop.request_stop(); }};
  const auto server = open_client(asked);
  if (!server)
    return fail(server.error());
  int code = exit_good;
  if (common.json && !asked.watch)
    code = list_questions(*server, asked);
  else if (common.json)
    code = follow_questions(*server, asked, stop.get_token());
  else
    code = inbox_desk{*server, wish_of(asked), asked.watch, common, stop}.run();
  return signals.exit_code(code);
}

result<reply> read_reply(const std::string& file) {
  const auto text = host::read_file(file, answer_file_bytes_max);
  if (!text)
    return fail(text.error());
  auto made = parse_json(*text).and_then(
    [](const json::value& value) { return decode_reply(value); });
  if (!made)
    made.error().file = file;
  return made;
}

/// `RUN/NODE` with a resume value.
result<int> answer_interrupt(const inbox_arguments& asked,
                             const common_options& common, std::size_t slash) {
  const auto text = host::read_file(asked.reply_file, answer_file_bytes_max);
  if (!text)
    return fail(text.error());
  auto value = parse_json(*text);
  if (!value) {
    value.error().file = asked.reply_file;
    return fail(value.error());
  }
  const auto server = open_client(asked);
  if (!server)
    return fail(server.error());
  const auto got = server->resolve(asked.token.substr(0, slash),
                                   asked.token.substr(slash + 1),
                                   {{"resumeValue", *std::move(value)}});
  if (!got) { // whatever is wrong with it, it is the answer that was refused
    const int code = report(got.error(), common.json);
    return code == exit_fault ? code : exit_no;
  }
  if (common.json)
    print_json(*got);
  else if (!common.quiet)
    print("accepted\n");
  return exit_good;
}

result<int> answer_question(const inbox_arguments& asked,
                            const common_options& common) {
  if (const auto slash = asked.token.find('/'); slash != std::string::npos)
    return answer_interrupt(asked, common, slash);
  const auto what = read_reply(asked.reply_file);
  if (!what)
    return fail(what.error());
  const auto server = open_client(asked);
  if (!server)
    return fail(server.error());
  const auto got = server->answer(asked.token, asked.participant, *what);
  if (!got)
    return fail(got.error());
  if (common.json)
    print_json(json::object{{"token", asked.token},
                            {"session_id", got->session_id},
                            {"participant_id", got->participant},
                            {"status", "accepted"},
                            {"duplicate", got->duplicate}});
  else if (!common.quiet)
    print(got->duplicate ? "accepted before\n" : "accepted\n");
  return exit_good;
}

} // namespace

void add_inbox(const command_line& program) {
  // What stands before "answer" counts for it, too.
  const auto shared = std::make_shared<inbox_arguments>();
  const auto command = program.add<inbox_arguments>(
    "inbox", open_inbox,
    [](const command_line& inbox, inbox_arguments& arguments) {
      add_server_options(inbox, arguments);
      inbox.add("--session", arguments.session);
      inbox.add("--run", arguments.run);
      inbox.add("--kind", arguments.kind);
      inbox.add("--watch", arguments.watch);
    },
    shared);
  command.add<inbox_arguments>(
    "answer", answer_question,
    [](const command_line& answer, inbox_arguments& arguments) {
      answer.add("TOKEN", arguments.token).required();
      answer.add("--file", arguments.reply_file).required();
      add_server_options(answer, arguments);
    },
    shared);
}

} // namespace convene::cli
