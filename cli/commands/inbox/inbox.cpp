#include <boost/json/serialize.hpp>
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
#include <memory>
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
          print(host::request_json(each) + '\n');
      }
      for (const auto& each : found->of_runs.all) {
        listed.insert(key_of(each));
        if (!known.contains(key_of(each)))
          print(json::serialize(to_json(each)) + '\n');
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

int open_inbox(const inbox_arguments& asked, const common_options& common) {
  std::stop_source stop;
  const signal_watch signals{[&stop] { stop.request_stop(); }};
  const auto server = open_client(asked);
  if (!server)
    return report(server.error(), common.json);
  int code = exit_good;
  if (common.json && !asked.watch)
    code = list_questions(*server, asked);
  else if (common.json)
    code = follow_questions(*server, asked, stop.get_token());
  else
    code = inbox_desk{*server, wish_of(asked), asked.watch, common, stop}.run();
  return signals.caught() != 0 ? 128 + signals.caught() : code;
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
int answer_interrupt(const inbox_arguments& asked, const common_options& common,
                     std::size_t slash) {
  const auto text = host::read_file(asked.reply_file, answer_file_bytes_max);
  if (!text)
    return report(text.error(), common.json);
  auto value = parse_json(*text);
  if (!value) {
    value.error().file = asked.reply_file;
    return report(value.error(), common.json);
  }
  const auto server = open_client(asked);
  if (!server)
    return report(server.error(), common.json);
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

int answer_question(const inbox_arguments& asked,
                    const common_options& common) {
  if (const auto slash = asked.token.find('/'); slash != std::string::npos)
    return answer_interrupt(asked, common, slash);
  const auto what = read_reply(asked.reply_file);
  if (!what)
    return report(what.error(), common.json);
  const auto server = open_client(asked);
  if (!server)
    return report(server.error(), common.json);
  const auto got = server->answer(asked.token, asked.participant, *what);
  if (!got)
    return report(got.error(), common.json);
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

void add_inbox(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "inbox",
    "Open questions of a server's sessions and runs, and their answers");
  auto arguments = std::make_shared<inbox_arguments>();
  add_server_options(command, *arguments);
  command
    .add_option("--session", arguments->session, "Only those of this session")
    ->option_text("ID");
  command
    .add_option("--run", arguments->run,
                "Only what nodes of this run of a workflow ask")
    ->option_text("ID");
  command
    .add_option("--kind", arguments->kind,
                "Only interrupts of runs of this kind, such as approval or "
                "conversation; several with commas")
    ->option_text("KIND");
  command.add_flag("--watch", arguments->watch,
                   "Go on waiting for questions. With --json, each one is a "
                   "line as soon as it is asked");
  add_common(command, common);
  auto& answer = *command.add_subcommand("answer",
                                         "Answers one question from a file");
  answer
    .add_option("TOKEN", arguments->token,
                "The question's token, as convene inbox --json shows it; of "
                "a run its runId and nodeId, with a slash between")
    ->required()
    ->option_text(" ");
  answer
    .add_option("--file", arguments->reply_file,
                "The reply, JSON as in docs/agents.md; for a run the resume "
                "value, as in docs/server-runs.md")
    ->required()
    ->option_text("FILE");
  add_server_options(answer, *arguments);
  add_common(answer, common);
  answer.footer("Example: convene inbox answer 5b0c2a7e-... --file reply.json");
  answer.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] {
      return answer_question(*arguments, common);
    };
  });
  command.footer(
    "Example: convene inbox --participant ana\n"
    "         convene inbox --server https://convene.example "
    "--key-file key.txt --watch\n"
    "Questions are asked one after the other; /help lists what can "
    "be answered, and /quit leaves.\n"
    "Exit codes: 0 it went well; 1 the server refused an answer or "
    "the key; 2 it could not start as asked; 3 the server cannot be "
    "reached.");
  command.callback([arguments, &answer, &common, &chosen] {
    if (!answer.parsed())
      chosen = [arguments, &common] { return open_inbox(*arguments, common); };
  });
}

} // namespace convene::cli
