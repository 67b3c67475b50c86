// Servers as programs: small ones in Python, of every kind.

#include <boost/json/array.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/mcp/program_server.hpp>
#include <convene/runtime/outside/mcp/server_settings.hpp>
#include <convene/runtime/outside/mcp/tools.hpp>
#include <runtime/outside/processes/marked.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace convene;
using protocol::action_status;

namespace {

/// An older server: `serve` gets each request's method and params, and returns
/// a result.
std::string python_server(const std::string& serve,
                          const std::string& at_end = "") {
  return R"(
import json, os, signal, sys, time
def serve(method, params):
    if method == 'tools/list':
        return {'tools': [{'name': 'one', 'inputSchema': {}},
                          {'name': 'two', 'inputSchema': {}}]}
)" + serve
         + R"(
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' not in asked: continue
    answer = {'jsonrpc': '2.0', 'id': asked['id']}
    if asked['method'] == 'server/discover':
        answer['error'] = {'code': -32601, 'message': 'no'}
    elif asked['method'] == 'initialize':
        answer['result'] = {'protocolVersion': '2025-11-25'}
    else:
        answer['result'] = serve(asked['method'], asked['params'])
    print(json.dumps(answer), flush=True)
)" + at_end;
}

constexpr auto echo = R"(
    return {'content': [{'type': 'text', 'text': params['name'] + ' ' +
            json.dumps(params['arguments']) + ' %d' % os.getpid()}],
            'isError': False, 'secret': 1}
)";

/// A server of the new era that never answers a call of its tool `one`.
constexpr auto half_deaf = R"(
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' not in asked: continue
    answer = {'jsonrpc': '2.0', 'id': asked['id']}
    if asked['method'] == 'server/discover':
        answer['result'] = {'supportedVersions': ['2026-07-28']}
    elif asked['method'] == 'initialize': # it was slow to start
        answer['error'] = {'code': -32601, 'message': 'no'}
    elif asked['params']['name'] == 'one':
        continue
    else:
        answer['result'] = {'content': []}
    print(json.dumps(answer), flush=True)
)";

struct mcp_world {
  mcp_world() = default;
  mcp_world(const mcp_world&) = delete;
  mcp_world& operator=(const mcp_world&) = delete;
  ~mcp_world() {
    // All of them are gone after that, whoever still holds a part of it.
    servers.clear();
    all->end();
  }

  test::marked mine;
  std::shared_ptr<host::processes> all = std::make_shared<host::processes>();
  host::mcp_servers servers;

  void add(const std::string& name, const std::string& script,
           std::int64_t timeout_ms = 600'000, std::int64_t grace_ms = 100) {
    auto what = mine.python(script);
    what.limits.grace_ms = grace_ms;
    servers[name] = std::make_shared<host::mcp_program>(name, std::move(what),
                                                        timeout_ms, all);
  }

  std::shared_ptr<host::mcp_tools> tools(std::vector<std::string> patterns) {
    auto made = host::mcp_tools::make(servers, std::move(patterns), "/tools");
    REQUIRE(made);
    return *made;
  }

  protocol::action_result call(host::tool_box& in, std::string_view name,
                               std::int64_t timeout_ms = 0) {
    std::promise<protocol::action_result> told;
    actors::attempt which;
    which.timeout_ms = timeout_ms;
    in.call(name, {{"a", 1}}, which, [&](protocol::action_result how) {
      told.set_value(std::move(how));
    });
    return told.get_future().get();
  }

  protocol::result<std::vector<host::tool>> list(host::tool_box& in) {
    std::promise<protocol::result<std::vector<host::tool>>> told;
    in.list([&](auto how) { told.set_value(std::move(how)); });
    return told.get_future().get();
  }
};

} // namespace

TEST_CASE("the tools that patterns allow are listed with their server's name") {
  mcp_world with;
  with.add("x", python_server(echo));
  with.add("y", python_server(echo));
  with.add("unused", "raise SystemExit(1)");
  const auto names = [&](std::vector<std::string> patterns) {
    std::vector<std::string> found;
    const auto tools = with.tools(std::move(patterns));
    const auto listed = with.list(*tools);
    REQUIRE(listed);
    for (const auto& each : *listed)
      found.push_back(each.name);
    return found;
  };
  using texts = std::vector<std::string>;
  CHECK(names({"x/*"}) == texts{"x/one", "x/two"});
  CHECK(names({"x/o*", "y/two"}) == texts{"x/one", "y/two"});
  CHECK(names({}) == texts{});
  const auto missing = with.tools({"x/three"});
  const auto listed = with.list(*missing);
  REQUIRE_FALSE(listed);
  CHECK(listed.error().rule == "no_such_tool");
}

TEST_CASE("a tool's request names the trace that it is called in") {
  mcp_world with;
  with.add("x", python_server(R"(
    return {'content': [{'type': 'text',
                         'text': json.dumps(params.get('_meta'))}]}
)"));
  const auto tools = with.tools({"x/*"});
  const auto meta_of = [&](const protocol::trace_context& trace) {
    std::promise<protocol::action_result> told;
    const actors::attempt which{.trace = trace};
    tools->call("x/one", {}, which, [&](protocol::action_result how) {
      told.set_value(std::move(how));
    });
    const auto how = told.get_future().get();
    REQUIRE(how.status == action_status::completed);
    return std::string{how.output.at("content").at(0).at("text").as_string()};
  };
  CHECK(meta_of({.traceparent = "00-1", .tracestate = "a=b"})
        == R"({"traceparent": "00-1", "tracestate": "a=b"})");
  CHECK(meta_of({.traceparent = "00-1"}) == R"({"traceparent": "00-1"})");
  CHECK(meta_of({}) == "null");
}

TEST_CASE("patterns that cannot be are refused with their place") {
  mcp_world with;
  with.add("x", "");
  for (const auto* each : {"x", "x/", "*", "x/a*b", "z/one", "/one", ""}) {
    const auto how = host::mcp_tools::make(with.servers, {"x/*", each},
                                           "/tools");
    REQUIRE_FALSE(how);
    CHECK(how.error().pointer == "/tools/1");
  }
}

TEST_CASE(
  "a server is started once and shared, and a tool's answer passed on") {
  mcp_world with;
  with.add("x", python_server(echo));
  const auto some = with.tools({"x/one"});
  const auto others = with.tools({"x/two"});
  const auto first = with.call(*some, "x/one");
  REQUIRE(first.status == action_status::completed);
  CHECK(first.output.as_object().size() == 2); // content, isError
  const auto text_in = [](const protocol::action_result& how) {
    const auto& part = how.output.at("content").at(0).at("text").as_string();
    return std::string{part.data(), part.size()};
  };
  CHECK(text_in(first).starts_with("one {\"a\": 1} "));
  const auto second = with.call(*others, "x/two");
  // The same process.
  CHECK(text_in(second).substr(11) == text_in(first).substr(11));
  CHECK(with.call(*some, "x/two").error.code == "tool_not_allowed");
  CHECK(with.call(*some, "one").error.code == "tool_not_allowed");
}

TEST_CASE("a server that hangs in tools/list fails by name") {
  mcp_world with;
  with.add("x", python_server("def serve(method, params): time.sleep(1000)\n"),
           1500);
  const auto tools = with.tools({"x/*"});
  const auto listed = with.list(*tools);
  REQUIRE_FALSE(listed);
  CHECK(listed.error().rule == "time_out");
}

TEST_CASE("a server that dies in a call fails it, and is started again, but "
          "not for ever") {
  mcp_world with;
  with.add("x", python_server("\n    os._exit(3)\n"));
  const auto tools = with.tools({"x/one"});
  for (unsigned i = 0; i < host::mcp_program::deaths_max; ++i) {
    const auto how = with.call(*tools, "x/one");
    CHECK(how.status == action_status::failed);
    CHECK(how.error.code == "server_died");
    CHECK(how.error.message.find("code 3") != std::string::npos);
  }
  const auto last = with.call(*tools, "x/one");
  CHECK(last.error.code == "server_died");
  CHECK(last.error.message.find("not started again") != std::string::npos);
  CHECK_FALSE(last.error.transient);
}

TEST_CASE("a server that dies now and then is always started again") {
  mcp_world with;
  with.add("x", python_server(R"(
    if params['name'] == 'two': os._exit(3)
    return {'content': []})"));
  const auto tools = with.tools({"x/*"});
  for (unsigned i = 0; i < 2 * host::mcp_program::deaths_max; ++i) {
    CHECK(with.call(*tools, "x/one").status == action_status::completed);
    CHECK(with.call(*tools, "x/two").error.code == "server_died");
  }
}

TEST_CASE("an older server that exits when it is probed is initialized in its "
          "second life, and first in later ones") {
  char folder[] = "/tmp/convene-mcp-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const auto file = std::string{folder} + "/begun";
  {
    mcp_world with;
    const auto how = GENERATE(values<std::string>(
      {"", "print(json.dumps({'jsonrpc': '2.0', 'id': first['id'], 'error': "
           "{'code': -32600, 'message': 'initialize'}}), flush=True)"}));
    std::filesystem::remove(file);
    // Its first message is written down.
    with.add("x", R"(
import json, os, sys
first = json.loads(sys.stdin.readline())
open(')" + file + R"(', 'a').write(first['method'] + '\n')
if first['method'] != 'initialize':
    )" + how + R"(
    sys.exit(1)
print(json.dumps({'jsonrpc': '2.0', 'id': first['id'],
                  'result': {'protocolVersion': '2025-03-26'}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' not in asked: continue
    if asked['params']['name'] == 'two': os._exit(3)
    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'],
                      'result': {'content': []}}), flush=True)
)");
    const auto tools = with.tools({"x/*"});
    CHECK(with.call(*tools, "x/one").status == action_status::completed);
    CHECK(with.call(*tools, "x/two").error.code == "server_died");
    CHECK(with.call(*tools, "x/one").status == action_status::completed);
    std::ifstream in{file};
    const std::string begun{std::istreambuf_iterator<char>{in}, {}};
    CHECK(begun == "server/discover\ninitialize\ninitialize\n");
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a program that is no server at all fails by name") {
  mcp_world with;
  with.servers["x"] = std::make_shared<host::mcp_program>(
    "x", with.mine.run("/nowhere/server", {"server"}), 1000, with.all);
  with.servers["y"] = std::make_shared<host::mcp_program>(
    "y", with.mine.run("/usr/bin/yes", {"yes"}), 600'000, with.all);
  with.servers["z"] = std::make_shared<host::mcp_program>(
    "z", with.mine.shell("echo no configuration >&2"), 600'000, with.all);
  const auto tools = with.tools({"x/*", "y/*", "z/*"});
  const auto ended = with.call(*tools, "z/one").error.message;
  CHECK(ended.find("exited with code 0") != std::string::npos);
  CHECK(ended.find("no configuration") != std::string::npos);
  const auto missing = with.call(*tools, "x/one");
  CHECK(missing.error.code == "server_died");
  CHECK(missing.error.message.find("/nowhere/server") != std::string::npos);
  CHECK(with.call(*tools, "y/one").error.code == "garbage");
}

TEST_CASE("a call ends in time, and another one is answered meanwhile") {
  mcp_world with;
  with.add("x", half_deaf);
  const auto tools = with.tools({"x/*"});
  CHECK(with.call(*tools, "x/two").status == action_status::completed);
  const auto slow = with.call(*tools, "x/one", 50);
  CHECK(slow.status == action_status::timed_out);
  CHECK(slow.error.code == "time_out");
  CHECK(with.call(*tools, "x/two").status == action_status::completed);
}

TEST_CASE("a cancelled call answers nobody, and the server goes on") {
  std::atomic<bool> told = false;
  {
    mcp_world with;
    with.add("x", half_deaf);
    const auto tools = with.tools({"x/*"});
    const auto cancel = tools->call("x/one", {}, {},
                                    [&](const auto&) { told = true; });
    cancel();
    CHECK(with.call(*tools, "x/two").status == action_status::completed);
  }
  // Also not that the server is gone.
  CHECK_FALSE(told);
}

TEST_CASE("a server's input is closed first, so that it can end by itself") {
  char folder[] = "/tmp/convene-mcp-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const auto file = std::string{folder} + "/ended";
  {
    mcp_world with;
    // It has all the time that it takes, whatever it is told meanwhile.
    with.add("x",
             python_server(std::string{echo}
                             + "\nsignal.signal(signal.SIGTERM, "
                               "signal.SIG_IGN)\n",
                           "open('" + file + "', 'w').close()\n"),
             600'000, 600'000);
    CHECK(with.call(*with.tools({"x/one"}), "x/one").status
          == action_status::completed);
  }
  CHECK(std::filesystem::exists(file));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a server that ignores everything is gone when its user is") {
  test::marked mine;
  {
    mcp_world with;
    mine = with.mine;
    with.add("x", python_server(std::string{echo}
                                  + "\nsignal.signal(signal.SIGTERM, "
                                    "signal.SIG_IGN)\n",
                                "time.sleep(1000)\n"));
    CHECK(with.call(*with.tools({"x/one"}), "x/one").status
          == action_status::completed);
  }
  CHECK(mine.living() == 0);
}

TEST_CASE("a value that ends with a variable of convene names it") {
  std::string_view before;
  CHECK(host::variable_in("Bearer ${env:TOKEN}", before) == "TOKEN");
  CHECK(before == "Bearer ");
  for (const auto* each :
       {"", "TOKEN", "${TOKEN}", "${env:TOKEN", "env:TOKEN}"}) {
    CHECK(host::variable_in(each, before).empty());
    CHECK(before == each);
  }
}

TEST_CASE("variables that decide what a program runs are known by name") {
  for (const auto* each : {"NODE_OPTIONS",
                           "PYTHONPATH",
                           "PYTHONSTARTUP",
                           "BASH_ENV",
                           "ENV",
                           "PERL5OPT",
                           "RUBYOPT",
                           "JAVA_TOOL_OPTIONS",
                           "_JAVA_OPTIONS",
                           "GIT_SSH_COMMAND",
                           "npm_config_script_shell",
                           "HTTPS_PROXY",
                           "https_proxy",
                           "EDITOR",
                           "DOTNET_STARTUP_HOOKS",
                           "CLASSPATH",
                           "LD_X",
                           "GCONV_PATH",
                           "SSL_CERT_FILE",
                           "NODE_EXTRA_CA_CERTS",
                           "PYTHON_EGG"})
    CHECK(host::steers_programs(each));
  for (const auto* each :
       {"LOG_LEVEL", "API_KEY", "NODE_ENV", "AWS_REGION", "MEMORY_FILE_PATH",
        "PYTHONUNBUFFERED", "DEBUG", "POSTGRES_URL", "PORT", "GREETING"})
    CHECK_FALSE(host::steers_programs(each));
}

TEST_CASE("the settings of a server are read, with their defaults") {
  const auto read = [](const protocol::json::object& from) {
    return host::read_mcp_server_settings(from, "/mcp_servers/files");
  };
  const auto made = read({{"command", {"mcp-server", "."}}});
  REQUIRE(made);
  CHECK(made->timeout_ms == 60'000);
  CHECK(host::program_for(*made, "/x", {}, "/tmp").arguments
        == std::vector<std::string>{"mcp-server", "."});
  const auto copied = read({{"type", "stdio"},
                            {"command", "npx"},
                            {"args", {"-y", "server"}},
                            {"env", {{"LEVEL", "info"}, {"EMPTY", ""}}},
                            {"cwd", "/srv"}});
  REQUIRE(copied);
  const auto started = host::program_for(*copied, "/x", {"PATH=/bin"}, "/srv");
  CHECK(started.arguments == std::vector<std::string>{"npx", "-y", "server"});
  CHECK(started.environment
        == std::vector<std::string>{"PATH=/bin", "EMPTY=", "LEVEL=info"});
  CHECK(copied->working_folder == "/srv");
  CHECK(read({{"command", {"a", "b"}}, {"args", {"c"}}})->command
        == std::vector<std::string>{"a", "b", "c"});
  for (const auto& wrong :
       {protocol::json::object{},
        {{"command", ""}},
        {{"command", 7}},
        {{"command", "x"}, {"args", "y"}},
        {{"command", "x"}, {"args", {7}}},
        {{"command", "x"}, {"args", {std::string("\0", 1)}}},
        {{"command", "x"}, {"env", {{"A", 7}}}},
        {{"command", "x"}, {"env", {{"A", std::string("b\0", 2)}}}},
        {{"command", "x"}, {"type", "sse"}},
        {{"command", "x"}, {"values", {{"A", "b"}}}},
        {{"command", "x"}, {"cwd", "/a"}, {"working_folder", "/b"}},
        {{"command", protocol::json::array{}}},
        {{"command", {""}}},
        {{"command", {"x"}}, {"url", "http://x"}}})
    CHECK_FALSE(read(wrong));
}
