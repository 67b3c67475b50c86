#include "runtime/outside/http/raw_server.hpp"
#include "runtime/outside/participants/answered.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/outside.hpp>
#include <convene/runtime/outside/shared_outside.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

using namespace convene;
using namespace convene::host;
using protocol::errc;

namespace {

namespace json = protocol::json;

session::spec with(const char* behaviour, const char* servers = "{}") {
  session::spec made;
  made.collab.collab_id = "s";
  made.collab.participants = {{.participant_id = "a", .role_id = "r"}};
  made.behaviours["a"] = boost::json::parse(behaviour);
  made.mcp_servers = boost::json::parse(servers).as_object();
  return made;
}

/// What `check` says of a scenario, with these permissions.
protocol::result<void> checked(const session::spec& what,
                               std::initializer_list<const char*> allow = {},
                               bool virtual_time = false) {
  outside_options how{.virtual_time = virtual_time};
  for (const auto* each : allow)
    REQUIRE(how.allow.allow(each));
  return outside{std::move(how)}.check(what);
}

std::string rule_of(const protocol::result<void>& what) {
  return what ? "" : what.error().rule;
}

constexpr auto model = R"({"type": "llm", "model": "m",
  "base_url": "http://127.0.0.1:8000/v1", "api_key_env": "CONVENE_TEST_KEY",
  "tools": ["files/*"]})";
constexpr auto server = R"({"files": {"command": ["sh", "-c", "exit"]}})";

} // namespace

TEST_CASE("a model needs its host, its key and its tools' server") {
  const auto refused = checked(with(model, server));
  CHECK(rule_of(refused) == "permission_needed");
  for (const auto* flag : {"--allow net=127.0.0.1:8000",
                           "--allow env=CONVENE_TEST_KEY", "--allow run=sh"})
    CHECK_THAT(refused.error().message, Catch::Contains(flag));
  ::setenv("CONVENE_TEST_KEY", "secret", 1);
  CHECK(checked(with(model, server),
                {"net=127.0.0.1:8000", "env=CONVENE_TEST_KEY", "run=sh"}));
  ::unsetenv("CONVENE_TEST_KEY");
  CHECK(
    rule_of(checked(with(model, server),
                    {"net=127.0.0.1:8000", "env=CONVENE_TEST_KEY", "run=sh"}))
    == "variable_missing");
}

TEST_CASE("the values that a scenario sets for a server need no permission, "
          "but what decides which code it runs does") {
  const auto rule = [](const std::string& env,
                       std::initializer_list<const char*> allow = {}) {
    const auto servers = R"({"files": {"command": "sh", "args": ["-c", "exit"],
      "env": )" + env + "}}";
    outside_options how;
    REQUIRE(how.allow.allow("run=sh"));
    for (const auto* each : allow)
      REQUIRE(how.allow.allow(each));
    return rule_of(outside{std::move(how)}.check(with(
      R"({"type": "mcp", "server": "files", "tool": "t"})", servers.c_str())));
  };
  ::setenv("CONVENE_TEST_KEY", "secret", 1);
  CHECK(rule(R"({"LEVEL": "info"})").empty());
  CHECK(rule(R"({"NODE_OPTIONS": "--require=/tmp/x"})") == "permission_needed");
  CHECK(rule(R"({"NODE_OPTIONS": "-r x"})", {"env=NODE_OPTIONS"}).empty());
  CHECK(rule(R"({"LEVEL": "${env:CONVENE_TEST_KEY}"})") == "permission_needed");
  CHECK(
    rule(R"({"LEVEL": "${env:CONVENE_TEST_KEY}"})", {"env=CONVENE_TEST_KEY"})
      .empty());
  CHECK(rule(R"({"LEVEL": "${env:CONVENE_TEST_KEY}"})", {"env=LEVEL"})
        == "permission_needed");
  for (const auto* name : {"PATH", "HOME", "LD_PRELOAD"})
    CHECK(rule(std::string{R"({")"} + name + R"(": "x"})",
               {"env=PATH,HOME,LD_PRELOAD"})
          == "variable_reserved");
  CHECK(rule(R"({"A B": "x"})") == "variable_name");
  ::unsetenv("CONVENE_TEST_KEY");
  CHECK(
    rule(R"({"LEVEL": "${env:CONVENE_TEST_KEY}"})", {"env=CONVENE_TEST_KEY"})
    == "variable_missing");
}

TEST_CASE(
  "a server by HTTP needs its host, and gets variables that are for that "
  "host") {
  const auto rule
    = [](const std::string& headers, std::initializer_list<const char*> allow) {
        const auto servers = R"({"files": {"url": "http://127.0.0.1:8000/mcp",
      "headers": )" + headers + "}}";
        return rule_of(
          checked(with(R"({"type": "mcp", "server": "files", "tool": "t"})",
                       servers.c_str()),
                  allow));
      };
  ::setenv("CONVENE_TEST_KEY", "secret", 1);
  CHECK(rule("{}", {}) == "permission_needed");
  CHECK(rule("{}", {"net"}) == "permission_needed"); // this machine is named
  CHECK(rule("{}", {"net=127.0.0.1:8000"}).empty());
  const auto* keyed = R"({"Authorization": "Bearer ${env:CONVENE_TEST_KEY}"})";
  CHECK(rule(keyed, {"net=127.0.0.1:8000"}) == "permission_needed");
  CHECK(rule(keyed, {"net=127.0.0.1:8000", "env=CONVENE_TEST_KEY@other.org"})
        == "permission_needed");
  CHECK(
    rule(keyed, {"net=127.0.0.1:8000", "env=CONVENE_TEST_KEY@127.0.0.1:8000"})
      .empty());
  ::setenv("CONVENE_TEST_KEY", "two\r\nlines: x", 1);
  CHECK(
    rule(keyed, {"net=127.0.0.1:8000", "env=CONVENE_TEST_KEY@127.0.0.1:8000"})
    == "variable_value");
  ::unsetenv("CONVENE_TEST_KEY");
}

TEST_CASE("a key is for the host that it is bound to, whatever a scenario "
          "names") {
  const auto [type, member] = GENERATE(table<const char*, const char*>({
    {R"("llm", "model": "m", "base_url")", "api_key_env"},
    {R"("http", "url")", "secret_env"},
    {R"("a2a", "card")", "api_key_env"},
  }));
  const auto what = [&](const char* url) {
    return with((std::string{R"({"type": )"} + type + ": \"" + url + "\", \""
                 + member + R"(": "CONVENE_TEST_KEY"})")
                  .c_str());
  };
  ::setenv("CONVENE_TEST_KEY", "secret", 1);
  for (const auto* url : {"http://b.example/v1", "http://B.Example.:80/v1",
                          "http://a.example:81/", "http://localhost:80/"}) {
    CAPTURE(url);
    const auto refused = checked(
      what(url), {"net", "net=localhost", "env=CONVENE_TEST_KEY@a.example:80"});
    CHECK(rule_of(refused) == "permission_needed");
    CHECK_THAT(refused.error().message,
               Catch::Contains("--allow env=CONVENE_TEST_KEY@"));
  }
  for (const auto* url : {"http://a.example/", "http://A.EXAMPLE.:80/x"})
    CHECK(checked(what(url), {"net", "env=CONVENE_TEST_KEY@a.example:80"}));
  ::unsetenv("CONVENE_TEST_KEY");
}

TEST_CASE("a key that is empty or has a line end is refused, and not shown") {
  const auto [type, member] = GENERATE(table<const char*, const char*>({
    {R"("llm", "model": "m", "base_url")", "api_key_env"},
    {R"("http", "url")", "secret_env"},
    {R"("a2a", "card")", "api_key_env"},
  }));
  const auto what = std::string{R"({"type": )"} + type
                    + R"(: "http://127.0.0.1:8000/v1", ")" + member
                    + R"(": "CONVENE_TEST_KEY"})";
  const std::string value = GENERATE("", "sk-\nabc", "sk-\x7f!abc");
  CAPTURE(what, value);
  ::setenv("CONVENE_TEST_KEY", value.c_str(), 1);
  const auto refused = checked(with(what.c_str()),
                               {"net=127.0.0.1:8000", "env=CONVENE_TEST_KEY"});
  ::unsetenv("CONVENE_TEST_KEY");
  CHECK(rule_of(refused) == "variable_value");
  CHECK(refused.error().pointer == std::string{"/behaviours/a/"} + member);
  CHECK_THAT(refused.error().message,
             Catch::Contains("CONVENE_TEST_KEY")
               && Catch::Contains(value.empty() ? "is empty" : "line end")
               && Catch::Contains(std::string{"leave "} + member + " out")
               && !Catch::Contains("abc"));
}

TEST_CASE("a secret in the place of a variable's name is not shown") {
  const auto* what = GENERATE(
    R"({"type": "llm", "model": "m", "api_key_env": "sk-abc123"})",
    R"({"type": "http", "url": "http://a/", "secret_env": "sk-abc123"})",
    R"({"type": "a2a", "card": "http://a/", "api_key_env": "sk-abc123"})",
    R"({"type": "process", "command": ["sh"], "env": ["sk-abc123"]})");
  const auto refused = checked(with(what));
  CHECK(rule_of(refused) == "variable_name");
  CHECK_THAT(protocol::to_string(refused.error()),
             !Catch::Contains("sk-abc123"));
}

TEST_CASE("an external participant needs a server that it can ask") {
  const auto refused = checked(with(R"({"type": "external"})"));
  CHECK(rule_of(refused) == "server_needed");
  CHECK(refused.error().pointer == "/behaviours/a");
  CHECK(
    checked(with(R"({"type": "external", "timeout_ms": 0})")).error().pointer
    == "/behaviours/a/timeout_ms");
}

TEST_CASE("a refusal says who needs what") {
  auto what = with(R"({"type": "http", "url": "http://localhost:9/"})");
  what.collab.participants.push_back({.participant_id = "b", .role_id = "r"});
  what.behaviours["b"]
    = boost::json::parse(R"({"type": "process", "command": ["sh"]})");
  // A machine's own services are not for any scenario that may use the net.
  CHECK_THAT(checked(what, {"net"}).error().message,
             Catch::EndsWith("add --allow net=localhost:9 --allow run=sh; a "
                             "needs net=localhost:9; b needs run=sh"));
}

TEST_CASE("whether a variable is there is not told to those who may not know") {
  CHECK(rule_of(checked(with(model, server), {"run", "net"}))
        == "permission_needed");
}

TEST_CASE("a server that the scenario does not have is missed") {
  CHECK(rule_of(checked(with(model), {"run", "net"})) == "server_missing");
  CHECK(rule_of(checked(with(R"({"type": "mcp", "server": "files", "tool": "t",
                                "arguments": {}})"),
                        {"run"}))
        == "server_missing");
}

TEST_CASE("a scenario does not decide where programs are found") {
  const auto name = std::string{GENERATE("PATH", "LD_PRELOAD", "HOME")};
  const auto what = R"({"type": "process", "command": ["sh"], "env": [")" + name
                    + R"("]})";
  CHECK(rule_of(checked(with(what.c_str()), {"run"})) == "variable_reserved");
}

TEST_CASE("programs work where they are allowed to write") {
  const auto* what = R"({"type": "process", "command": ["sh"],
                         "working_folder": "/usr"})";
  const auto refused = checked(with(what), {"run"});
  CHECK(rule_of(refused) == "permission_needed");
  CHECK_THAT(refused.error().message, Catch::Contains("--allow write=/usr"));
  CHECK(checked(with(what), {"run", "write=/usr"}));
}

TEST_CASE("a program that is not there is told by its name") {
  const auto* what = GENERATE("no-such-program-x", "/no/such/file", "/usr",
                              "/etc/passwd");
  const auto refused = checked(
    with((R"({"type": "process", "command": [")" + std::string{what} + R"("]})")
           .c_str()),
    {"run"});
  CHECK(rule_of(refused) == "program_missing");
  CHECK(refused.error().pointer == "/behaviours/a/command/0");
  CHECK_THAT(refused.error().message,
             Catch::Contains(what[0] == 'n'   ? "PATH"
                             : what[1] == 'n' ? "no such file"
                             : what[1] == 'u' ? "folder"
                                              : "cannot be executed"));
}

TEST_CASE("under virtual time nobody outside is asked") {
  CHECK(rule_of(checked(with(R"({"type": "process", "command": ["sh"]})"),
                        {"run"}, true))
        == "virtual_time");
  CHECK(checked(with(R"({"type": "echo"})"), {}, true));
}

TEST_CASE("a person needs a place where people are asked") {
  const auto refused = checked(with(R"({"type": "human"})"));
  CHECK(rule_of(refused) == "permission_needed");
  CHECK(refused.error().message
        == "a is a person: add --interactive to have them answer here");
}

TEST_CASE("settings that are none are told with their place") {
  const auto* what
    = GENERATE(R"({"type": "process"})",
               R"({"type": "process", "command": []})", R"({"type": "llm"})",
               R"({"type": "llm", "model": "m", "nonsense": 1})",
               R"({"type": "http", "url": "file:///etc/passwd"})",
               R"({"type": "http", "url": "http://user@host/"})",
               R"({"type": "a2a", "card": "file:///etc/passwd"})",
               R"({"type": "mcp", "server": "x"})",
               R"({"type": "human", "timeout_ms": 0})");
  CAPTURE(what);
  const auto refused = checked(with(what), {"run", "net"});
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().pointer, Catch::StartsWith("/behaviours/a"));
}

TEST_CASE("what is allowed is made, and other types are left to others") {
  outside_options how;
  REQUIRE(how.allow.allow("run"));
  outside reached{std::move(how)};
  const actors::behaviour_setup whose{.session_id = "../s",
                                      .participant_id = "a/b"};
  const auto config = boost::json::parse(
    R"({"type": "process", "command": ["sh", "-c", "echo '{}'"]})");
  const auto made = reached.make("process", config, whose, "/behaviours/a");
  REQUIRE(made);
  REQUIRE(*made);
  CHECK((*made)->answers_later());
  const auto none = reached.make("echo", config, whose, "/behaviours/a");
  REQUIRE(none);
  CHECK_FALSE(*none);
}

TEST_CASE("a tool that cannot be is told with its place in the scenario") {
  outside_options how;
  REQUIRE(how.allow.allow("run"));
  outside reached{std::move(how)};
  const auto servers = boost::json::parse(server).as_object();
  const actors::behaviour_setup whose{.session_id = "s",
                                      .participant_id = "a",
                                      .mcp_servers = &servers};
  const auto config = boost::json::parse(
    R"({"type": "llm", "model": "m", "tools": ["files"]})");
  const auto made = reached.make("llm", config, whose, "/behaviours/a");
  REQUIRE_FALSE(made);
  CHECK(made.error().pointer == "/behaviours/a/tools/0");
}

TEST_CASE("what is executed must be allowed, not what was checked before") {
  outside reached{{}};
  const actors::behaviour_setup whose{.session_id = "s", .participant_id = "a"};
  const auto config
    = boost::json::parse(R"({"type": "process", "command": ["sh"]})");
  const auto made = reached.make("process", config, whose, "/behaviours/a");
  REQUIRE_FALSE(made);
  CHECK(made.error().rule == "permission_needed");
}

TEST_CASE("a folder that is named must be allowed where it leads") {
  outside_options how;
  REQUIRE(how.allow.allow("run"));
  outside reached{std::move(how)};
  const actors::behaviour_setup whose{.session_id = "s", .participant_id = "a"};
  const auto config = boost::json::parse(
    R"({"type": "process", "command": ["sh"], "working_folder": "/usr"})");
  const auto made = reached.make("process", config, whose, "/behaviours/a");
  REQUIRE_FALSE(made);
  CHECK(made.error().rule == "permission_needed");
}

TEST_CASE("sessions share an MCP server only as long as one of them uses it, "
          "and only if they configure it alike") {
  std::string folder = "/tmp/convene-servers-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  outside_options how{.work_folder = folder};
  REQUIRE(how.allow.allow("run=sh"));
  outside reached{std::move(how)};
  const auto what = with(R"({"type": "mcp", "server": "files", "tool": "t",
                             "arguments": {}})",
                         R"({"files": {"command": ["sh"]}})");
  const auto other = with(R"({"type": "mcp", "server": "files", "tool": "t",
                              "arguments": {}})",
                          R"({"files": {"command": ["sh", "-c", "true"]}})");
  const auto make = [&](const session::spec& from, std::string session_id) {
    auto made = reached.make("mcp", from.behaviours.at("a"),
                             {.session_id = std::move(session_id),
                              .participant_id = "a",
                              .mcp_servers = &from.mcp_servers},
                             "/behaviours/a");
    REQUIRE(made);
    return *std::move(made);
  };
  const auto has_own = [&](const std::string& session_id) {
    return std::filesystem::exists(std::filesystem::path{folder} / session_id);
  };
  auto first = make(what, "s1");
  auto second = make(what, "s2");
  CHECK(has_own("s1"));
  CHECK_FALSE(has_own("s2")); // one server, in one folder
  const auto third = make(other, "s3");
  CHECK(has_own("s3"));
  first.reset();
  auto fourth = make(what, "s4");
  CHECK_FALSE(has_own("s4"));
  second.reset();
  fourth.reset();
  const auto fifth = make(what, "s5");
  CHECK(has_own("s5")); // the first one has ended
  std::filesystem::remove_all(folder);
}

TEST_CASE("a server that nobody uses needs no permission") {
  const auto* servers = R"({"files": {"command": ["sh"]},
                            "other": {"command": ["no-such-program-x"]}})";
  const auto* tool = R"({"type": "mcp", "server": "files", "tool": "t",
                         "arguments": {}})";
  const auto what = with(tool, servers);
  CHECK(checked(what, {"run=sh"}));
  outside_options how;
  REQUIRE(how.allow.allow("run=sh"));
  outside reached{std::move(how)};
  CHECK(reached.make("mcp", what.behaviours.at("a"),
                     {.session_id = "s",
                      .participant_id = "a",
                      .mcp_servers = &what.mcp_servers},
                     "/behaviours/a"));
}

TEST_CASE("a tool without a server is one of the application, or is missed") {
  const auto what = with(R"({"type": "llm", "model": "m",
    "base_url": "http://127.0.0.1:8000/v1", "tools": ["lookup"]})");
  outside_options how;
  REQUIRE(how.allow.allow("net=127.0.0.1:8000"));
  const auto missed = outside{how}.check(what);
  CHECK(rule_of(missed) == "executor_missing");
  CHECK_THAT(missed.error().message, Catch::Contains("lookup"));
  how.executors = {{.name = "lookup"}};
  CHECK(outside{how}.check(what));
}

TEST_CASE("an agent card leads only where the command line allows") {
  std::string interface;
  tests::raw_server server{[&](const std::string&, std::size_t) {
    return tests::answer_with(
      R"({"supportedInterfaces": [{"protocolBinding": "HTTP+JSON",
          "protocolVersion": "1.0", "url": ")"
      + interface + R"("}]})");
  }};
  const auto here = "127.0.0.1:" + std::to_string(server.port());
  const auto [leads_to, allowed] = GENERATE(table<std::string, std::string>({
    {"http://localhost:9/", "net"},
    {"http://elsewhere.example:9/", "net=elsewhere.example:8"},
  }));
  interface = leads_to;
  outside_options how;
  REQUIRE(how.allow.allow("net=" + here));
  REQUIRE(how.allow.allow(allowed));
  outside reached{std::move(how)};
  const auto config = boost::json::parse(R"({"type": "a2a", "card": ")"
                                         + server.url("/card") + R"("})");
  const auto who = reached.make("a2a", config,
                                {.session_id = "s", .participant_id = "a"},
                                "/behaviours/a");
  REQUIRE(who);
  const auto got = test::answer_of(**who, test::a_turn_of("go"));
  CHECK(got.error.code == "agent_host_refused");
  CHECK_THAT(got.error.message,
             Catch::Contains(here) && Catch::Contains("--allow net="));
}

TEST_CASE("an agent still hears that its task is not needed at the end") {
  std::atomic<bool> cancelled = false;
  std::string card;
  tests::raw_server server{[&](const std::string& request, std::size_t) {
    if (request.starts_with("GET /card")) {
      auto late = tests::answer_with(card);
      late.delay = std::chrono::milliseconds{200};
      return late;
    }
    if (request.starts_with("POST /message:send"))
      return tests::answer_with(
        R"({"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING"}}})");
    cancelled = cancelled || request.starts_with("POST /tasks/t:cancel");
    return tests::answer_with("", "text/plain", "404 Not Found");
  }};
  card = R"({"supportedInterfaces": [{"protocolBinding": "HTTP+JSON",
    "protocolVersion": "1.0", "url": ")"
         + server.url() + R"("}]})";
  outside_options how{.parting_longest = std::chrono::minutes{2}};
  REQUIRE(how.allow.allow("net=127.0.0.1:" + std::to_string(server.port())));
  auto reached = std::make_unique<outside>(std::move(how));
  const auto config = boost::json::parse(R"({"type": "a2a", "card": ")"
                                         + server.url("/card") + R"("})");
  auto who = reached->make("a2a", config,
                           {.session_id = "s", .participant_id = "a"},
                           "/behaviours/a");
  REQUIRE(who);
  // The look at the task fails, and the card has to be read again.
  CHECK(test::answer_of(**who, test::a_turn_of("go")).error.code
        == "http_status");
  who->reset();
  reached.reset();
  CHECK(cancelled);
}

TEST_CASE("sandboxed programs get a network by a permission of their own") {
  permissions allow;
  REQUIRE(allow.allow("net"));
  REQUIRE(allow.allow("net=api.example"));
  CHECK_FALSE(sandbox_of(allow).network);
  REQUIRE(allow.allow("program-net=api.example"));
  CHECK(sandbox_of(allow).network);
}
