#include <boost/json/array.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/process.hpp>
#include <runtime/outside/participants/answered.hpp>
#include <runtime/outside/processes/marked.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace convene;
using protocol::reply_status;
using test::a_turn_of;
using test::answer_of;

namespace {

namespace json = protocol::json;

/// Settings for /bin/sh -c SCRIPT.
host::process_settings shell(const std::string& script,
                             host::process_mode mode = {}) {
  host::process_settings made;
  made.command = {"sh", "-c", script};
  made.mode = mode;
  return made;
}

/// Its owner ends them: else a callback might be the last to let go of them,
/// and their thread would outlive the test.
struct programs {
  programs() = default;
  programs(const programs&) = delete;
  programs& operator=(const programs&) = delete;
  ~programs() {
    all->end();
  }

  test::marked mine;
  std::shared_ptr<host::processes> all = std::make_shared<host::processes>();

  std::unique_ptr<host::process_behaviour>
  behaviour(const host::process_settings& how, std::string file = "/bin/sh") {
    auto what = host::program_for(how, std::move(file),
                                  {"PATH=/usr/bin:/bin", mine.variable()},
                                  "/tmp");
    what.limits.grace_ms = 100;
    return std::make_unique<host::process_behaviour>("tester", how, what, all);
  }

  protocol::reply reply(const std::string& script) {
    return answer_of(*behaviour(shell(script)), a_turn_of("test it"));
  }
};

json::object
settings(std::initializer_list<std::pair<std::string_view, json::value>> more
         = {}) {
  json::object made{{"type", "process"}, {"command", {"./x", "--json"}}};
  for (const auto& [name, value] : more)
    made[name] = value;
  return made;
}

} // namespace

TEST_CASE("the settings of a process are read, with their defaults") {
  const auto few = host::read_process_settings(settings(), "/behaviours/a");
  REQUIRE(few);
  CHECK(few->command == std::vector<std::string>{"./x", "--json"});
  CHECK(few->mode == host::process_mode::once);
  CHECK(few->timeout_ms == 300'000);
  CHECK_FALSE(few->repeatable);
  const auto all
    = host::read_process_settings(settings({{"mode", "lines"},
                                            {"env", {"A_KEY"}},
                                            {"cpu_seconds", 5},
                                            {"memory_bytes", 1000},
                                            {"output_bytes_max", 10},
                                            {"working_folder", "/tmp"},
                                            {"workspace", "changes"},
                                            {"repeatable", true},
                                            {"retries", 2}}),
                                  "/behaviours/a");
  REQUIRE(all);
  CHECK(all->mode == host::process_mode::lines);
  CHECK(all->retries == 2);
  const auto made = host::program_for(*all, "/x", {"A_KEY=b"}, "/tmp");
  CHECK(made.path == "/x");
  CHECK(made.arguments == all->command);
  CHECK(made.limits.cpu_seconds == 5);
  CHECK(made.limits.memory_bytes == 1000);
  CHECK(made.limits.output_bytes_max == 10);
}

TEST_CASE("settings of a process that cannot be are refused with their place") {
  const auto refused = [](const json::object& from, std::string_view pointer) {
    const auto how = host::read_process_settings(from, "/behaviours/a");
    REQUIRE_FALSE(how);
    CHECK(how.error().pointer == pointer);
  };
  refused({{"type", "process"}}, "/behaviours/a");
  refused(settings({{"command", json::array{}}}), "/behaviours/a/command");
  refused(settings({{"command", {""}}}), "/behaviours/a/command/0");
  refused(settings({{"command", {"x", std::string("a\0b", 3)}}}),
          "/behaviours/a/command/1");
  refused(settings({{"mode", "twice"}}), "/behaviours/a/mode");
  refused(settings({{"timeout_ms", 0}}), "/behaviours/a/timeout_ms");
  refused(settings({{"shell", true}}), "/behaviours/a/shell");
}

TEST_CASE("a program reads the request and its output is the reply") {
  programs with;
  const auto reply = with.reply(
    R"(read request; case $request in *'"task":"test it"'*)
       echo '{"content": "done", "result": {"passed": 3}}';; esac)");
  CHECK(reply.status == reply_status::completed);
  CHECK(reply.content == "done");
  CHECK(reply.result.at("passed") == 3);
}

TEST_CASE("a program that fails makes a failed reply with its errors' end") {
  programs with;
  const auto reply = with.reply("echo cannot find it >&2; exit 2");
  CHECK(reply.status == reply_status::failed);
  CHECK(reply.error.code == "exit_code");
  CHECK(reply.error.message.find("code 2") != std::string::npos);
  CHECK(reply.error.message.find("cannot find it") != std::string::npos);
}

TEST_CASE("output that is no reply makes a failed one that shows it") {
  programs with;
  const auto none = with.reply("true");
  CHECK(none.error.code == "invalid_output");
  CHECK(none.error.message.find("wrote nothing") != std::string::npos);
  const auto text = with.reply("echo hello there");
  CHECK(text.error.code == "invalid_output");
  CHECK(text.error.message.find("hello there") != std::string::npos);
  CHECK(text.error.message.find(": line 1, column 1: ") != std::string::npos);
  CHECK(text.error.message.find(R"({"content": "..."})") != std::string::npos);
  const auto other = with.reply("echo '{\"colour\": 1}'");
  CHECK(other.error.code == "invalid_reply");
  CHECK(other.error.message.find("/colour") != std::string::npos);
  const auto list = with.reply("echo '[1]'");
  CHECK(list.error.code == "invalid_reply");
}

TEST_CASE("a program that is too slow makes a reply that says so") {
  programs with;
  auto how = shell("sleep 1000");
  how.timeout_ms = 50;
  const auto reply = answer_of(*with.behaviour(how), a_turn_of("x"));
  CHECK(reply.status == reply_status::failed);
  CHECK(reply.error.code == "time_out");
  CHECK(with.mine.living() == 0);
}

TEST_CASE("a program is ended when its turn is over") {
  programs with;
  const auto who = with.behaviour(shell("sleep 1000"));
  auto asked = a_turn_of("x");
  asked.live = std::make_shared<actors::live_turn>([](protocol::reply) {});
  who->begin(asked);
  asked.live->close();
  with.mine.wait_until_gone();
}

TEST_CASE("exit code 75 is worth another attempt, with the same key") {
  programs with;
  char folder[] = "/tmp/convene-process-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  auto how = shell(std::string{"cd "} + folder
                   + "; echo $CONVENE_IDEMPOTENCY_KEY >> keys; test -e again "
                     "|| { touch again; exit 75; }; echo '{}'");
  how.retries = 1;
  const auto reply = answer_of(*with.behaviour(how), a_turn_of("x"));
  CHECK(reply.status == reply_status::completed);
  std::ifstream keys{std::string{folder} + "/keys"};
  std::string first;
  std::string second;
  keys >> first >> second;
  CHECK_FALSE(first.empty());
  CHECK(first == second);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a program of lines stays and answers each request") {
  programs with;
  const auto who = with.behaviour(
    shell("while read request; do n=$((n+1)); echo '{\"content\": \"'$n'\"}'; "
          "done",
          host::process_mode::lines));
  for (const auto* wanted : {"1", "2", "3"})
    CHECK(answer_of(*who, a_turn_of("x")).content == wanted);
}

TEST_CASE("a line has the key of its call, which another question changes") {
  programs with;
  const auto who = with.behaviour(
    shell("while read request; do echo '{\"content\": \"'$(echo \"$request\" "
          "| sed 's/.*idempotency_key\":\"\\([^\"]*\\)\".*/\\1/')'\"}'; done",
          host::process_mode::lines));
  const auto first = answer_of(*who, a_turn_of("x")).content;
  CHECK_FALSE(first.empty());
  CHECK(answer_of(*who, a_turn_of("x")).content == first);
  CHECK(answer_of(*who, a_turn_of("y")).content != first);
}

TEST_CASE("a program of lines that died is started again") {
  programs with;
  const auto who = with.behaviour(shell(
    "read request; echo '{\"content\": \"one\"}'", host::process_mode::lines));
  CHECK(answer_of(*who, a_turn_of("x")).content == "one");
  with.mine.wait_until_gone();
  const auto second = answer_of(*who, a_turn_of("x"));
  // Its end may be told only after the request was sent.
  if (second.status == reply_status::failed)
    CHECK(second.error.code == "ended_early");
  else
    CHECK(second.content == "one");
}

TEST_CASE("a program of lines that hangs is replaced, its late answer too") {
  programs with;
  auto how = shell("read request; case $request in *'\"task\":\"hang\"'*) "
                   "trap '' TERM; sleep 1000;; esac; "
                   "echo '{\"content\": \"fresh\"}'; read request",
                   host::process_mode::lines);
  how.timeout_ms = 100;
  const auto who = with.behaviour(how);
  CHECK(answer_of(*who, a_turn_of("hang")).error.code == "time_out");
  how.timeout_ms = 300'000;
  CHECK(answer_of(*with.behaviour(how), a_turn_of("x")).content == "fresh");
}

TEST_CASE("a program of lines that writes what nobody asked for is replaced") {
  programs with;
  const auto who = with.behaviour(
    shell("while read request; do echo '{\"content\": \"right\"}'; "
          "echo '{\"content\": \"wrong\"}'; done",
          host::process_mode::lines));
  for (int i = 0; i < 3; ++i) {
    CHECK(answer_of(*who, a_turn_of("x")).content == "right");
    with.mine.wait_until_gone();
  }
}

TEST_CASE("the example programs answer") {
  programs with;
  const std::string folder = CONVENE_SOURCE_DIR "/examples/programs/";
  host::process_settings how;
  how.command = {"gatekeeper.sh"};
  const auto gatekeeper = with.behaviour(how, folder + "gatekeeper.sh");
  const auto first = answer_of(*gatekeeper, a_turn_of("may it go in?"));
  CHECK(first.content == "Run the tests first, please.");
  CHECK_FALSE(first.end);
  CHECK(answer_of(*gatekeeper, a_turn_of("the tests pass")).end);
  auto decision = a_turn_of("x");
  decision.kind = session::request_kind::decision;
  CHECK(answer_of(*gatekeeper, decision).status == reply_status::declined);

  how.command = {"reviewer.py"};
  how.mode = host::process_mode::lines;
  const auto reviewer = with.behaviour(how, folder + "reviewer.py");
  CHECK(answer_of(*reviewer, a_turn_of("x")).content == "Looks good to me.");
  CHECK(answer_of(*reviewer, decision).status == reply_status::declined);
  CHECK(answer_of(*reviewer, a_turn_of("x")).result.at("files_read") == 0);
}
