// The protocol, without a program: lines in and lines out.

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/mcp/connection.hpp>

#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace convene;
using host::mcp_connection;

namespace {

namespace json = protocol::json;

/// A server that a test speaks for.
struct mcp_peer {
  std::deque<json::object> sent;
  std::map<int, std::pair<std::int64_t, std::function<void()>>> timers;
  int last_timer = 0;
  int notes = 0;
  std::size_t line_bytes_max = 1000;
  mcp_connection connection;

  explicit mcp_peer(bool is_older = false)
    : connection{
      "files",
      {.send =
         [this](const host::mcp_outgoing& what) {
           const auto line = what.line;
           if (line.size() > line_bytes_max)
             return false;
           sent.push_back(json::parse({line.data(), line.size()}).as_object());
           return true;
         },
       .after =
         [this](std::int64_t ms, std::function<void()> then) {
           const int id = ++last_timer;
           timers.emplace(id, std::pair{ms, std::move(then)});
           return [this, id] { timers.erase(id); };
         },
       .note = [this](std::string_view) { ++notes; }},
      60'000,
      is_older} {
    // nop
  }

  json::object next() {
    REQUIRE_FALSE(sent.empty());
    auto first = std::move(sent.front());
    sent.pop_front();
    return first;
  }

  void answer(const json::object& to, std::string_view result) {
    connection.take_line(
      json::serialize(json::object{{"jsonrpc", "2.0"},
                                   {"id", to.at("id")},
                                   {"result", json::parse(result)}}));
  }
  void refuse(const json::object& to, int code, std::string_view data = "{}") {
    connection.take_line(
      json::serialize(json::object{{"jsonrpc", "2.0"},
                                   {"id", to.at("id")},
                                   {"error",
                                    {{"code", code},
                                     {"message", "not here"},
                                     {"data", json::parse(data)}}}}));
  }

  /// The time of the timer that was started last is up.
  void time_passes() {
    REQUIRE_FALSE(timers.empty());
    const auto then = timers.rbegin()->second.second;
    timers.erase(std::prev(timers.end()));
    then();
  }

  void be_modern() {
    answer(next(), R"({"supportedVersions": ["2026-07-28"]})");
  }
  void be_older() {
    refuse(next(), -32601);
    answer(next(), R"({"protocolVersion": "2025-11-25"})");
    CHECK(next().at("method") == "notifications/initialized");
  }

  /// Asks for a method and keeps what comes of it.
  mcp_connection::request_id ask(std::string_view method = "tools/call") {
    return connection.ask(method, {}, 1000, [this](mcp_connection::answer how) {
      answers.push_back(std::move(how));
    });
  }
  std::string code() {
    REQUIRE(answers.size() == 1);
    REQUIRE_FALSE(answers.front());
    return answers.front().error().code;
  }
  std::vector<mcp_connection::answer> answers;
};

constexpr auto meta_version = "io.modelcontextprotocol/protocolVersion";

} // namespace

TEST_CASE("a server of the new era is asked nothing before it is found to be "
          "one") {
  mcp_peer peer;
  peer.ask();
  const auto probe = peer.next();
  CHECK(probe.at("method") == "server/discover");
  CHECK(probe.at("params").at("_meta").at(meta_version) == "2026-07-28");
  CHECK(peer.sent.empty());
  peer.answer(probe, R"({"supportedVersions": ["2026-07-28"]})");
  const auto asked = peer.next();
  CHECK(asked.at("method") == "tools/call");
  CHECK(asked.at("params").at("_meta").at(meta_version) == "2026-07-28");
  peer.answer(asked, R"({"content": [], "resultType": "complete"})");
  REQUIRE(peer.answers.size() == 1);
  CHECK(peer.answers.front()->contains("content"));
  CHECK(peer.timers.empty());
}

TEST_CASE("what a request has in _meta goes with what the new era asks for") {
  mcp_peer peer;
  peer.connection.ask("tools/call", {{"_meta", {{"traceparent", "t"}}}}, 1000,
                      [](const mcp_connection::answer&) {});
  peer.answer(peer.next(), R"({"supportedVersions": ["2026-07-28"]})");
  const auto asked = peer.next();
  CHECK(asked.at("params").at("_meta").at(meta_version) == "2026-07-28");
  CHECK(asked.at("params").at("_meta").at("traceparent") == "t");
}

TEST_CASE("a server that does not know the new era is initialized") {
  mcp_peer peer;
  peer.ask();
  peer.refuse(peer.next(), -32601);
  const auto hello = peer.next();
  CHECK(hello.at("method") == "initialize");
  CHECK(hello.at("params").at("protocolVersion") == "2025-11-25");
  CHECK_FALSE(hello.at("params").as_object().contains("_meta"));
  CHECK(peer.sent.empty());
  peer.answer(hello, R"({"protocolVersion": "2025-06-18"})");
  CHECK(peer.next().at("method") == "notifications/initialized");
  const auto asked = peer.next();
  CHECK(asked.at("method") == "tools/call");
  CHECK_FALSE(asked.at("params").as_object().contains("_meta"));
}

TEST_CASE("a server that is silent about the new era is initialized") {
  mcp_peer peer;
  const auto probe = peer.next();
  peer.time_passes();
  CHECK(peer.next().at("method") == "initialize");
  // Its late answer changes nothing.
  peer.answer(probe, R"({"supportedVersions": ["2026-07-28"]})");
  CHECK(peer.sent.empty());
}

TEST_CASE("a server of the new era that was slow to start is asked again") {
  mcp_peer peer;
  const auto probe = peer.next();
  peer.time_passes();
  peer.ask();
  const auto hello = peer.next();
  CHECK(hello.at("method") == "initialize");
  SECTION("once it has refused to be initialized") {
    peer.answer(probe, R"({"supportedVersions": ["2026-07-28"]})");
    peer.refuse(hello, -32601);
    const auto again = peer.next();
    CHECK(again.at("method") == "server/discover");
    CHECK(again.at("params").at("_meta").at(meta_version) == "2026-07-28");
    peer.answer(again, R"({"supportedVersions": ["2026-07-28"]})");
    CHECK(peer.next().at("method") == "tools/call");
    CHECK(peer.answers.empty());
  }
  SECTION("and fails as it refused if it is not of the new era") {
    peer.refuse(hello, -32000);
    peer.refuse(peer.next(), -32601);
    CHECK(peer.code() == "server_error");
    CHECK(peer.answers.front().error().message.find("-32000")
          != std::string::npos);
    CHECK(peer.timers.empty());
  }
}

TEST_CASE("a server that names the versions it knows is spoken to in one") {
  for (const auto* supported : {"2026-07-28", "2025-11-25"}) {
    mcp_peer peer;
    peer.ask();
    peer.refuse(peer.next(), -32022,
                std::string{R"({"supported": [")"} + supported + "\"]}");
    CHECK(peer.next().at("method")
          == (std::string_view{supported} == "2026-07-28" ? "tools/call"
                                                          : "initialize"));
  }
}

TEST_CASE("a server that speaks no version of ours is refused by name") {
  mcp_peer modern;
  modern.ask();
  modern.refuse(modern.next(), -32022, R"({"supported": ["2031-01-01"]})");
  CHECK(modern.code() == "no_common_version");
  mcp_peer older;
  older.ask();
  older.refuse(older.next(), -32601);
  older.answer(older.next(), R"({"protocolVersion": "1999-01-01"})");
  CHECK(older.code() == "no_common_version");
  older.answers.clear();
  older.ask();
  CHECK(older.code() == "no_common_version");
}

TEST_CASE("answers find their requests in any order, once") {
  mcp_peer peer;
  peer.be_modern();
  std::string said;
  for (const auto* name : {"a", "b", "c"})
    peer.connection.ask("m", {}, 1000, [&, name](mcp_connection::answer how) {
      REQUIRE(how);
      CHECK(how->at("name") == name);
      said += name;
    });
  const auto a = peer.next();
  const auto b = peer.next();
  const auto c = peer.next();
  peer.answer(c, R"({"name": "c"})");
  peer.answer(a, R"({"name": "a"})");
  peer.answer(a, R"({"name": "twice"})");
  peer.answer(b, R"({"name": "b"})");
  CHECK(said == "cab");
}

TEST_CASE("a request that takes too long fails, and the server is told") {
  mcp_peer peer;
  peer.be_modern();
  peer.ask();
  const auto asked = peer.next();
  peer.time_passes();
  CHECK(peer.code() == "time_out");
  CHECK(peer.answers.front().error().message.find("tools/call")
        != std::string::npos);
  const auto told = peer.next();
  CHECK(told.at("method") == "notifications/cancelled");
  CHECK(told.at("params").at("requestId") == asked.at("id"));
  peer.answer(asked, "{}");
  CHECK(peer.answers.size() == 1);
}

TEST_CASE("a request that is cancelled answers nobody, and the server is "
          "told") {
  mcp_peer peer;
  const auto early = peer.ask();
  peer.connection.cancel(early);
  peer.be_modern();
  CHECK(peer.sent.empty());
  const auto id = peer.ask();
  const auto asked = peer.next();
  peer.connection.cancel(id);
  CHECK(peer.next().at("method") == "notifications/cancelled");
  peer.answer(asked, "{}");
  CHECK(peer.answers.empty());
  CHECK(peer.timers.empty());
}

TEST_CASE("a beginning that takes too long fails everything, by name") {
  mcp_peer peer;
  peer.ask();
  peer.refuse(peer.next(), -32601);
  peer.time_passes(); // of initialize
  CHECK(peer.code() == "time_out");
  CHECK(peer.connection.is_over());
}

TEST_CASE("answers of no use fail by name") {
  const auto code_of = [](std::string_view result) {
    mcp_peer peer;
    peer.be_modern();
    peer.ask();
    peer.answer(peer.next(), result);
    return peer.code();
  };
  CHECK(code_of(R"({"resultType": "input_required", "inputRequests": {}})")
        == "input_required");
  CHECK(code_of(R"({"resultType": "riddle"})") == "invalid_answer");
  CHECK(code_of("[]") == "invalid_answer");
  mcp_peer peer;
  peer.be_modern();
  peer.ask();
  peer.refuse(peer.next(), -32602);
  CHECK(peer.code() == "server_error");
  CHECK(peer.answers.front().error().message.find("-32602: \"not here\"")
        != std::string::npos);
}

TEST_CASE("an older server's requests are refused, but for ping") {
  mcp_peer peer;
  peer.be_older();
  for (const auto* method :
       {"roots/list", "sampling/createMessage", "elicitation/create"}) {
    peer.connection.take_line(json::serialize(
      json::object{{"jsonrpc", "2.0"}, {"id", "x"}, {"method", method}}));
    const auto said = peer.next();
    CHECK(said.at("id") == "x");
    CHECK(said.at("error").at("code") == -32601);
  }
  peer.connection.take_line(R"({"jsonrpc": "2.0", "id": 7, "method": "ping"})");
  CHECK(peer.next().at("result") == json::object{});
  peer.connection.take_line(
    R"({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})");
  CHECK(peer.sent.empty());
}

TEST_CASE("some garbage is passed over, a flood of it ends the connection") {
  mcp_peer peer;
  peer.be_modern();
  peer.ask();
  const auto asked = peer.next();
  const std::vector<std::string> garbage{
    "Server started on port 3000",
    "{",
    "[]",
    "null",
    R"({"id": 2})",
    R"({"jsonrpc": "2.0"})",
    "\xff\xfe",
    R"({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})"};
  for (const auto& line : garbage)
    peer.connection.take_line(line);
  // To nobody:
  peer.connection.take_line(R"({"jsonrpc": "2.0", "id": "2x", "result": {}})");
  peer.connection.take_line(R"({"jsonrpc": "2.0", "id": 2.5, "result": {}})");
  peer.connection.take_line(R"({"jsonrpc": "2.0", "id": 99, "result": {}})");
  CHECK(peer.answers.empty());
  for (std::size_t i = garbage.size(); i < peer.connection.garbage_lines_max;
       ++i)
    peer.connection.take_line("x");
  CHECK_FALSE(peer.connection.is_over());
  peer.connection.take_line("x");
  CHECK(peer.connection.is_over());
  CHECK(peer.code() == "garbage");
  peer.answer(asked, "{}");
  CHECK(peer.answers.size() == 1);
}

TEST_CASE("noise is bounded between answers, not over a connection's life") {
  mcp_peer peer;
  peer.be_modern();
  for (std::size_t i = 0; i < 3 * peer.connection.garbage_lines_max; ++i) {
    peer.ask();
    peer.connection.take_line("Request: say");
    peer.answer(peer.next(), "{}");
  }
  CHECK_FALSE(peer.connection.is_over());
  CHECK(peer.answers.size() == 3 * peer.connection.garbage_lines_max);
  CHECK(peer.notes == 1);
  // Late answers and messages to nobody do not count as answers.
  for (std::size_t i = 0; i <= peer.connection.garbage_lines_max; ++i) {
    peer.connection.take_line("x");
    peer.connection.take_line(R"({"jsonrpc": "2.0", "id": 1, "result": {}})");
  }
  CHECK(peer.connection.is_over());
}

TEST_CASE("an answer in sloppy JSON is read, with replacement characters") {
  const auto text_of = [](std::string_view raw) {
    mcp_peer peer;
    peer.be_modern();
    peer.ask();
    const auto id = peer.next().at("id").as_int64();
    peer.connection.take_line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
                              + R"(,"result":{"text":)" + std::string{raw}
                              + "}}");
    REQUIRE(peer.answers.size() == 1);
    REQUIRE(peer.answers.front());
    return json::serialize(peer.answers.front()->at("text"));
  };
  CHECK(text_of(R"("cut \ud83d")") == "\"cut \xef\xbf\xbd\"");
  CHECK(text_of("\"caf\xe9\"") == "\"caf\xef\xbf\xbd\"");
  CHECK(text_of("NaN") == "null");
  CHECK(text_of("\"a\tb\"") == R"("a\tb")");
}

TEST_CASE("an id that comes back as text or with a fraction of 0 is its own") {
  for (const auto* form : {"\"2\"", "2.0", "2e0"}) {
    mcp_peer peer;
    peer.be_modern();
    peer.ask();
    REQUIRE(peer.next().at("id") == 2);
    peer.connection.take_line(
      std::string{R"({"jsonrpc":"2.0","result":{},"id":)"} + form + "}");
    REQUIRE(peer.answers.size() == 1);
    CHECK(peer.answers.front());
  }
}

TEST_CASE(
  "an answer that cannot be read fails its call at once, and is quoted") {
  mcp_peer peer;
  peer.be_modern();
  const auto why_after = [&](const std::string& line) {
    peer.answers.clear();
    peer.connection.take_line(line);
    REQUIRE(peer.answers.size() == 1);
    CHECK(peer.code() == "invalid_answer");
    return peer.answers.front().error().message;
  };
  const auto asked = [&] {
    peer.ask();
    return std::to_string(peer.next().at("id").as_int64());
  };
  const auto first = asked();
  const auto second = asked();
  CHECK(why_after(R"({"result":{"text":oops, "id":)" + first
                  + R"(}, "jsonrpc":"2.0","id":)" + second + "}")
          .find("oops")
        != std::string::npos);
  CHECK(why_after(R"({"jsonrpc":"2.0","id":")" + first + R"(","res)")
          .find("tools/call")
        != std::string::npos);
  asked();
  why_after(R"({"jsonrpc":"2.0","result":{"content":[})"); // the only one open
  // Not the broken request of a server, or noise.
  asked();
  peer.answers.clear();
  for (const auto* line :
       {R"({"jsonrpc":"2.0","method":"notifications/message","params":{)",
        R"({"jsonrpc":"2.0","id":99,"result":{)", "{", "[1, 2", "result: 5"})
    peer.connection.take_line(line);
  CHECK(peer.answers.empty());
}

TEST_CASE("an answer behind noise on its line is read") {
  mcp_peer peer;
  peer.be_modern();
  peer.ask();
  const auto id = std::to_string(peer.next().at("id").as_int64());
  peer.connection.take_line(R"(got {"jsonrpc":"2.0","id":)" + id
                            + R"(,"method":"tools/call"})");
  CHECK(peer.answers.empty());
  CHECK(peer.sent.empty());
  peer.connection.take_line(R"(Working... {"jsonrpc":"2.0","id":)" + id
                            + R"(,"result":{}})");
  REQUIRE(peer.answers.size() == 1);
  CHECK(peer.answers.front());
}

TEST_CASE("an error without an id is that of the only request there is") {
  mcp_peer peer;
  peer.be_modern();
  peer.ask();
  peer.next();
  peer.connection.take_line(
    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what"}})");
  CHECK(peer.code() == "server_error");
  peer.answers.clear();
  peer.ask();
  peer.ask();
  peer.connection.take_line(
    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what"}})");
  CHECK(peer.answers.empty());
}

TEST_CASE("answers in a batch find their requests") {
  mcp_peer peer;
  peer.be_older();
  peer.ask();
  peer.ask();
  const auto one = peer.next().at("id");
  const auto two = peer.next().at("id");
  peer.connection.take_line(json::serialize(json::array{
    {{"jsonrpc", "2.0"}, {"id", two}, {"result", json::object{}}},
    {{"jsonrpc", "2.0"}, {"id", one}, {"result", json::object{}}}}));
  CHECK(peer.answers.size() == 2);
}

TEST_CASE("a discovery that names no versions is that of an older server") {
  for (const auto* result :
       {"{}", R"({"supportedVersions": []})", R"({"supportedVersions": 7})"}) {
    mcp_peer peer;
    peer.answer(peer.next(), result);
    CHECK(peer.next().at("method") == "initialize");
  }
}

TEST_CASE("a server that is known to be older is initialized first") {
  mcp_peer peer{true};
  peer.ask();
  const auto hello = peer.next();
  CHECK(hello.at("method") == "initialize");
  CHECK_FALSE(peer.connection.is_probed());
  SECTION("and is asked for its era if it refuses that") {
    peer.refuse(hello, -32601);
    peer.be_modern();
  }
  SECTION("and not otherwise") {
    peer.answer(hello, R"({"protocolVersion": "2025-06-18"})");
    CHECK(peer.next().at("method") == "notifications/initialized");
    CHECK(peer.connection.is_ready(host::mcp_era::initialized));
  }
  CHECK(peer.next().at("method") == "tools/call");
}

TEST_CASE("a new server in the place of one that was probed is initialized") {
  mcp_peer peer;
  peer.ask();
  peer.next();
  CHECK(peer.connection.is_probed());
  peer.connection.begin_again();
  CHECK_FALSE(peer.connection.is_probed());
  const auto hello = peer.next();
  CHECK(hello.at("method") == "initialize");
  peer.answer(hello, R"({"protocolVersion": "2025-06-18"})");
  CHECK(peer.next().at("method") == "notifications/initialized");
  peer.answer(peer.next(), "{}");
  REQUIRE(peer.answers.size() == 1);
  CHECK(peer.answers.front());
  CHECK(peer.timers.empty());
}

TEST_CASE("tools are listed page by page, each name once") {
  mcp_peer peer;
  peer.be_modern();
  std::vector<host::tool> found;
  peer.connection.list(1000, [&](auto how) {
    REQUIRE(how);
    found = *how;
  });
  const auto first = peer.next();
  CHECK_FALSE(first.at("params").as_object().contains("cursor"));
  peer.answer(first, R"({"tools": [
    {"name": "read", "description": "Reads", "inputSchema": {"type": "object"},
     "annotations": {"readOnlyHint": true}}, {"name": "broken"}, 7],
    "nextCursor": "more"})");
  const auto second = peer.next();
  CHECK(second.at("params").at("cursor") == "more");
  peer.answer(second, R"({"tools": [{"name": "write", "inputSchema": {}},
    {"name": "read", "inputSchema": {}}]})");
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "read");
  CHECK(found[0].description == "Reads");
  CHECK(found[0].read_only);
  CHECK(found[1].name == "write");
  CHECK_FALSE(found[1].read_only);
}

TEST_CASE("pages without end, and answers that are no pages, are refused") {
  mcp_peer peer;
  peer.be_modern();
  std::string code;
  const auto list = [&] {
    peer.connection.list(1000, [&](auto how) {
      REQUIRE_FALSE(how);
      code = how.error().code;
    });
  };
  list();
  while (code.empty())
    peer.answer(peer.next(), R"({"tools": [], "nextCursor": "same"})");
  CHECK(code == "tools_max");
  list();
  peer.answer(peer.next(), "{}");
  CHECK(code == "invalid_answer");
  list();
  peer.time_passes();
  CHECK(code == "time_out");
}

TEST_CASE("what does not fit is refused by name") {
  mcp_peer peer;
  peer.be_modern();
  peer.connection.ask("m", {{"text", std::string(2000, 'x')}}, 1000,
                      [&](mcp_connection::answer how) {
                        peer.answers.push_back(std::move(how));
                      });
  CHECK(peer.code() == "request_bytes_max");
  peer.answers.clear();
  for (std::size_t i = 0; i < mcp_connection::requests_max; ++i)
    peer.ask();
  CHECK(peer.answers.empty());
  peer.ask();
  CHECK(peer.code() == "requests_max");
}

TEST_CASE("a server that is gone fails what is open and what comes later") {
  mcp_peer peer;
  peer.ask();
  mcp_connection::failure why;
  why.code = "server_died";
  peer.connection.end(why);
  CHECK(peer.code() == "server_died");
  peer.answers.clear();
  peer.ask();
  CHECK(peer.code() == "server_died");
  CHECK(peer.timers.empty());
}
