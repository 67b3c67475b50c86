// Servers over HTTP, well-behaved and not.

#include "runtime/outside/http/raw_server.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/mcp/http_server.hpp>
#include <convene/runtime/outside/mcp/tools.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace convene;
using protocol::action_status;
using tests::answer_with;
using tests::raw_answer;
using tests::then_do;

namespace {

namespace json = protocol::json;

/// A request as a server got it.
struct heard_request {
  std::string method; ///< of HTTP
  std::string head;   ///< in lower case
  std::string path;
  json::object body; ///< empty: none

  [[nodiscard]] std::string asks() const {
    return body.contains("method") ? std::string{body.at("method").as_string()}
                                   : method;
  }
  [[nodiscard]] bool has(const std::string& line) const {
    return head.find("\r\n" + line + "\r\n") != head.npos;
  }
  [[nodiscard]] bool names(const std::string& header) const {
    return head.find("\r\n" + header + ":") != head.npos;
  }
};

heard_request read_request(const std::string& text) {
  heard_request made;
  const auto end = text.find("\r\n\r\n");
  made.head = text.substr(0, end + 2);
  made.method = text.substr(0, text.find(' '));
  const auto path = made.method.size() + 1;
  made.path = text.substr(path, text.find(' ', path) - path);
  for (auto& c : made.head)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (end + 4 < text.size())
    made.body = json::parse(text.substr(end + 4)).as_object();
  return made;
}

std::string answer_to(const heard_request& asked, std::string_view result) {
  return json::serialize(json::object{{"jsonrpc", "2.0"},
                                      {"id", asked.body.at("id")},
                                      {"result", json::parse(result)}});
}

raw_answer json_answer(const heard_request& asked, std::string_view result,
                       std::string more_headers = {}) {
  return answer_with(answer_to(asked, result), "application/json", "200 OK",
                     std::move(more_headers));
}

/// A stream of events that stays open, or ends.
raw_answer stream(std::string events, then_do after = then_do::close) {
  return {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; "
                   "charset=utf-8\r\nConnection: close\r\n\r\n"
                   + std::move(events),
          .after = after};
}

std::string event(const std::string& data, const std::string& id = {}) {
  return (id.empty() ? "" : "id: " + id + "\n")
         + "event: message\ndata: " + data + "\n\n";
}

/// An answer that begins like this and never ends.
raw_answer endless(const std::string& type, const std::string& begin, char c) {
  constexpr std::size_t at_once = 65536;
  return {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n\r\n"
                   + begin + std::string(at_once, c),
          .after = then_do::repeat,
          .repeated = at_once};
}

constexpr auto said = R"({"content": [{"type": "text", "text": "said"}]})";

/// A server of the older era, except for what a test answers itself.
struct http_world {
  using special
    = std::function<std::optional<raw_answer>(const heard_request&)>;

  explicit http_world(special how = {}, bool is_modern = false)
    : server{[this, how = std::move(how), is_modern](const std::string& text,
                                                     std::size_t) {
        auto asked = read_request(text);
        {
          const std::lock_guard held{mutex};
          heard.push_back(asked);
        }
        if (how)
          if (auto made = how(asked))
            return *std::move(made);
        return usual(asked, is_modern);
      }} {
    // nop
  }
  ~http_world() {
    end();
  }

  static raw_answer usual(const heard_request& asked, bool is_modern) {
    const auto what = asked.asks();
    if (what == "server/discover" && is_modern)
      return json_answer(asked, R"({"supportedVersions": ["2026-07-28"]})");
    if (what == "server/discover" || (is_modern && what == "initialize"))
      return answer_with(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,
        "message":"Bad Request: Server not initialized"}})",
                         "application/json", "400 Bad Request");
    if (what == "initialize")
      return json_answer(asked, R"({"protocolVersion": "2025-06-18"})",
                         "Mcp-Session-Id: s-1\r\n");
    if (what == "tools/list")
      return json_answer(asked,
                         R"({"tools": [{"name": "say", "inputSchema": {}}]})");
    if (what == "tools/call")
      return json_answer(asked, said);
    return answer_with("", "", "202 Accepted");
  }

  std::shared_ptr<host::mcp_endpoint> make(const std::string& path = "/mcp",
                                           std::int64_t timeout_ms = 600'000) {
    return std::make_shared<host::mcp_endpoint>(
      "x", server.url(path),
      std::vector<host::http_header>{{"Authorization", "Bearer key"}},
      timeout_ms, client, partings);
  }

  protocol::action_result call(std::string tool = "say",
                               std::int64_t timeout_ms = 0) {
    if (!to)
      to = make();
    std::promise<protocol::action_result> told;
    to->call(std::move(tool), {}, timeout_ms, [&](protocol::action_result how) {
      told.set_value(std::move(how));
    });
    return told.get_future().get();
  }

  /// The server is no longer needed.
  void end() {
    // Whoever made the last call may hold it a moment longer than its answer.
    const std::weak_ptr<host::mcp_endpoint> held = to;
    to.reset();
    while (!held.expired())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    partings->wait(std::chrono::seconds{60});
    client->end();
  }

  /// What was asked, in order.
  std::vector<std::string> asked() {
    const std::lock_guard held{mutex};
    std::vector<std::string> made;
    for (const auto& each : heard)
      made.push_back(each.asks());
    return made;
  }
  heard_request last(std::string_view what) {
    const std::lock_guard held{mutex};
    const auto found = std::find_if(heard.rbegin(), heard.rend(),
                                    [&](const heard_request& each) {
                                      return each.asks() == what;
                                    });
    REQUIRE(found != heard.rend());
    return *found;
  }

  std::mutex mutex;
  std::vector<heard_request> heard;
  tests::raw_server server;
  std::shared_ptr<host::http_client> client
    = std::make_shared<host::http_client>(host::http_options{
      .may_connect = [](const host::http_peer&) { return true; }});
  std::shared_ptr<host::parting_calls> partings
    = std::make_shared<host::parting_calls>();
  std::shared_ptr<host::mcp_endpoint> to;
};

std::string code_of(const protocol::action_result& how) {
  INFO(how.error.message);
  CHECK(how.status != action_status::completed);
  return how.error.code;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("a server of the older era by HTTP has a session with its headers") {
  http_world with;
  CHECK(with.call().status == action_status::completed);
  CHECK(with.asked()
        == texts{"server/discover", "initialize", "notifications/initialized",
                 "tools/call"});
  for (const auto& each : with.heard) {
    CHECK(each.method == "POST");
    CHECK(each.has("accept: application/json, text/event-stream"));
    CHECK(each.has("content-type: application/json"));
    CHECK(each.has("authorization: bearer key"));
    CHECK(each.path == "/mcp");
  }
  CHECK(with.last("server/discover").has("mcp-protocol-version: 2026-07-28"));
  CHECK_FALSE(with.last("initialize").names("mcp-protocol-version"));
  CHECK_FALSE(with.last("initialize").names("mcp-session-id"));
  for (const auto* each : {"notifications/initialized", "tools/call"}) {
    CHECK(with.last(each).has("mcp-protocol-version: 2025-06-18"));
    CHECK(with.last(each).has("mcp-session-id: s-1"));
    CHECK_FALSE(with.last(each).names("mcp-method"));
  }
  with.end();
  CHECK(with.last("DELETE").has("mcp-session-id: s-1"));
  CHECK(with.last("DELETE").has("authorization: bearer key"));
}

TEST_CASE("a server of the new era by HTTP is told each request's method and "
          "name in headers") {
  http_world with{{}, true};
  CHECK(with.call().status == action_status::completed);
  CHECK(with.asked() == texts{"server/discover", "tools/call"});
  const auto asked = with.last("tools/call");
  CHECK(asked.has("mcp-protocol-version: 2026-07-28"));
  CHECK(asked.has("mcp-method: tools/call"));
  CHECK(asked.has("mcp-name: say"));
  with.call("sch\xc3\xb6n");
  CHECK(with.last("tools/call").head.find("mcp-name: =?base64?")
        != std::string::npos);
  with.end();
  CHECK(with.asked().back() == "tools/call"); // there is no session to delete
}

TEST_CASE(
  "an answer as a stream of events is taken, whatever comes before it") {
  http_world with{[](const heard_request& asked) -> std::optional<raw_answer> {
    if (asked.asks() == "initialize")
      return stream(
        ": hello\n\n"
          + event(answer_to(asked, R"({"protocolVersion": "2025-11-25"})")),
        then_do::hang);
    if (asked.asks() != "tools/call")
      return std::nullopt;
    return stream(
      "id: 1\ndata:\n\nretry: 5\n\n"
        + event(R"({"jsonrpc":"2.0","method":"notifications/message"})", "2")
        + event(R"({"jsonrpc":"2.0","id":7,"method":"ping"})", "3")
        + event(answer_to(asked, said), "4")
        + event(answer_to(asked, "{}"), "5"),
      then_do::hang);
  }};
  const auto how = with.call();
  REQUIRE(how.status == action_status::completed);
  CHECK(how.output.at("content").at(0).at("text") == "said");
  CHECK(with.call().status == action_status::completed);
  // Its own request was answered by a message of its own.
  for (;;) {
    const std::lock_guard held{with.mutex};
    if (std::ranges::any_of(with.heard, [](const heard_request& each) {
          return each.body.contains("result") && each.body.at("id") == 7;
        }))
      break;
  }
}

TEST_CASE("a session that the server has forgotten is begun anew, and the call "
          "made once more") {
  const auto* status = GENERATE("404 Not Found", "400 Bad Request");
  const auto lost = std::make_shared<std::atomic<int>>(1);
  http_world with{[=](const heard_request& asked) -> std::optional<raw_answer> {
    if (asked.asks() != "tools/call" || --*lost < 0)
      return std::nullopt;
    return answer_with(R"({"jsonrpc":"2.0","id":null,
      "error":{"code":-32000,"message":"No valid session ID"}})",
                       "application/json", status);
  }};
  CHECK(with.call().status == action_status::completed);
  CHECK(with.asked()
        == texts{"server/discover", "initialize", "notifications/initialized",
                 "tools/call", "initialize", "notifications/initialized",
                 "tools/call"});
  CHECK_FALSE(with.last("initialize").names("mcp-session-id"));
  *lost = 1000;
  CHECK(code_of(with.call()) == "server_error");
}

TEST_CASE("a stream that is closed early is taken up where it ended") {
  std::string answer;
  http_world with{[&](const heard_request& asked) -> std::optional<raw_answer> {
    if (asked.asks() == "tools/call") {
      answer = answer_to(asked, said);
      return stream("id: a-1\nretry: 1\ndata:\n\n");
    }
    if (asked.method == "GET" && asked.has("last-event-id: a-1"))
      return stream("id: a-2\ndata:\n\n");
    if (asked.method == "GET")
      return stream(event(answer, "a-3"), then_do::hang);
    return std::nullopt;
  }};
  CHECK(with.call().status == action_status::completed);
  const auto last = with.last("GET");
  CHECK(last.has("last-event-id: a-2"));
  CHECK(last.has("mcp-session-id: s-1"));
  CHECK(last.has("accept: text/event-stream"));
}

TEST_CASE("an answer by HTTP that is none fails its call at once, by name") {
  struct sample {
    raw_answer answer;
    std::string code;
    std::string word;
  };
  const auto one = GENERATE(values<sample>(
    {{answer_with("<html>Sign in</html>", "text/html"), "invalid_answer",
      "Sign in"},
     {answer_with("", "application/json"), "invalid_answer", "tools/call"},
     {answer_with("[]"), "invalid_answer", "[]"},
     {answer_with(R"({"jsonrpc":"2.0","id":99,"result":{}})"), "invalid_answer",
      "99"},
     {answer_with("no", "text/plain", "401 Unauthorized"), "http_status",
      "401"},
     {answer_with("no", "text/plain", "500 Oh"), "server_error", "500"},
     {answer_with("{}", "text/plain", "302 Found",
                  "Location: http://127.0.0.2:1/mcp\r\n"),
      "redirect_refused", "127.0.0.2"},
     {answer_with("{}", "text/plain", "307 Moved",
                  "Location: http://127.0.0.2:1/mcp\r\n"),
      "redirect_refused", "127.0.0.2"},
     {stream(event("{}")), "connection_lost", "tools/call"},
     {endless("text/event-stream", "data: x", 'x'), "answer_bytes_max", ""},
     {endless("application/json", "[1", '1'), "invalid_answer", "111"},
     {{.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                "data: noise\n\n",
       .after = then_do::repeat,
       .repeated = 13},
      "garbage",
      ""},
     {{.bytes = "", .after = then_do::reset}, "connection_lost", ""}}));
  http_world with{[&](const heard_request& asked) -> std::optional<raw_answer> {
    return asked.asks() == "tools/call" ? std::optional{one.answer}
                                        : std::nullopt;
  }};
  const auto how = with.call();
  CHECK(code_of(how) == one.code);
  CHECK_THAT(how.error.message, Catch::Contains(one.word));
}

TEST_CASE("an error without an id is that of the request that it answers") {
  http_world with{[&](const heard_request& asked) -> std::optional<raw_answer> {
    if (asked.asks() != "tools/call")
      return std::nullopt;
    if (asked.body.at("params").at("name") == "slow")
      return stream("", then_do::hang);
    return answer_with(R"({"jsonrpc":"2.0","id":null,
      "error":{"code":-32602,"message":"no such tool"}})",
                       "application/json", "400 Bad Request");
  }};
  with.to = with.make();
  const auto cancel = with.to->call("slow", {}, 0, [](const auto&) {});
  const auto how = with.call();
  CHECK(code_of(how) == "server_error");
  CHECK_THAT(how.error.message, Catch::Contains("no such tool"));
  cancel();
}

TEST_CASE("a redirect within the origin that keeps the method is followed") {
  http_world with{[](const heard_request& asked) -> std::optional<raw_answer> {
    if (asked.path != "/mcp")
      return std::nullopt;
    return answer_with("", "", "307 Temporary Redirect", "Location: /mcp/\r\n");
  }};
  CHECK(with.call().status == action_status::completed);
  CHECK(with.last("tools/call").path == "/mcp/");
  http_world round{[](const heard_request&) {
    return answer_with("", "", "307 Temporary Redirect", "Location: /mcp\r\n");
  }};
  CHECK(code_of(round.call()) == "redirect_refused");
}

TEST_CASE(
  "a call by HTTP that takes too long ends, and the older era is told") {
  const bool is_modern = GENERATE(false, true);
  http_world with{[](const heard_request& asked) -> std::optional<raw_answer> {
                    if (asked.asks() != "tools/call"
                        || asked.body.at("params").at("name") != "slow")
                      return std::nullopt;
                    return stream(": here\n\n", then_do::hang);
                  },
                  is_modern};
  CHECK(with.call().status == action_status::completed);
  const auto slow = with.call("slow", 50);
  CHECK(slow.status == action_status::timed_out);
  CHECK(slow.error.code == "time_out");
  CHECK(with.call().status == action_status::completed);
  with.end();
  const auto all = with.asked();
  CHECK(std::ranges::count(all, "notifications/cancelled")
        == (is_modern ? 0 : 1));
}

TEST_CASE("a server by HTTP that is not there fails each call, and is found "
          "again") {
  http_world with{[down = std::make_shared<int>(2)](
                    const heard_request&) -> std::optional<raw_answer> {
    if (--*down < 0)
      return std::nullopt;
    return raw_answer{.bytes = "", .after = then_do::reset};
  }};
  CHECK(code_of(with.call()) == "connection_lost");
  CHECK(with.call().status == action_status::completed);
  const tests::closed_port nobody;
  with.to
    = std::make_shared<host::mcp_endpoint>("x", nobody.url() + "/mcp",
                                           std::vector<host::http_header>{},
                                           1000, with.client, with.partings);
  CHECK(code_of(with.call()) == "connect_failed");
}

TEST_CASE("nothing overtakes the end of the initialization") {
  // Its answer is one of those that servers give in place of 202.
  std::atomic<std::size_t> asked_meanwhile = 0;
  std::atomic<http_world*> world = nullptr;
  http_world with{[&](const heard_request& asked) -> std::optional<raw_answer> {
    if (asked.asks() != "notifications/initialized")
      return std::nullopt;
    auto made = answer_with("null", "application/json");
    made.delay = std::chrono::milliseconds{50};
    asked_meanwhile = world.load()->asked().size();
    return made;
  }};
  world = &with;
  std::vector<std::promise<void>> told(3);
  with.to = with.make();
  for (auto& each : told)
    with.to->call("say", {}, 0, [&](const auto&) { each.set_value(); });
  for (auto& each : told)
    each.get_future().get();
  CHECK(asked_meanwhile == 3);
  const auto all = with.asked();
  CHECK(std::ranges::count(all, "tools/call") == 3);
  CHECK(std::ranges::find(all, "tools/call") == all.begin() + 3);
}
