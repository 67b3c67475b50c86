#include "mcp_rig.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>

using namespace convene;
using namespace convene::tests;

namespace {

/// What a client was sent.
class received_lines {
public:
  void add(const std::string& line) {
    const std::lock_guard held{mutex_};
    lines_.push_back(json::parse(line));
    changed_.notify_all();
  }

  /// The answers once there are so many.
  std::vector<json::value> get(std::size_t count) {
    std::unique_lock held{mutex_};
    REQUIRE(changed_.wait_for(held, at_the_latest,
                              [&] { return lines_.size() >= count; }));
    return lines_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<json::value> lines_;
};

/// A tool that answers once it may, or is stopped.
class slow_tool {
public:
  server::mcp_tool tool() {
    return {.name = "slow",
            .title = "Slow",
            .about = "Waits",
            .scope = "runs:read",
            .input_schema = R"({"type": "object"})",
            .output_schema = R"({"type": "object"})",
            .run = [this](const server::tool_call& call) {
              std::unique_lock held{mutex_};
              ++begun_;
              changed_.notify_all();
              const bool went = changed_.wait(held, call.stop,
                                              [this] { return may_end_; });
              ++ended_;
              changed_.notify_all();
              return server::tool_answer{.content = {{"went", went}}};
            }};
  }

  void await_begun(int count) {
    std::unique_lock held{mutex_};
    REQUIRE(
      changed_.wait_for(held, at_the_latest, [&] { return begun_ >= count; }));
  }
  void await_ended(int count) {
    std::unique_lock held{mutex_};
    REQUIRE(
      changed_.wait_for(held, at_the_latest, [&] { return ended_ >= count; }));
  }
  void let_end() {
    const std::lock_guard held{mutex_};
    may_end_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int begun_ = 0;
  int ended_ = 0;
  bool may_end_ = false;
};

std::string slow_call(const std::string& id) {
  return R"({"jsonrpc":"2.0","id":)" + id
         + R"(,"method":"tools/call","params":{"name":"slow"}})";
}

/// A client, and the server that it talks to.
struct rig_of_lines {
  explicit rig_of_lines(server::mcp_limits limits = {})
    : rig{limits, {}, {}, {slow.tool()}}, client{rig.service, all_scopes(),
                                                 [this](
                                                   const std::string& line) {
                                                   sent.add(line);
                                                 }} {}

  slow_tool slow;
  received_lines sent;
  mcp_rig rig;
  server::line_client client;
};

} // namespace

TEST_CASE("a hostile line gets an error, and the next one its answer") {
  rig_of_lines all;
  for (const auto* line :
       {"}", "\"\\ud800\"", "[1]", R"({"jsonrpc":"2.0","id":{}})"})
    all.client.receive(line);
  all.client.receive_too_long();
  all.client.receive("");
  all.client.receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  all.client.receive(R"({"jsonrpc":"2.0","method":"notifications/unknown"})");
  all.client.receive(R"({"jsonrpc":"2.0","id":"x","method":"ping"})");
  const auto sent = all.sent.get(6);
  REQUIRE(sent.size() == 6);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(sent[i].at("id").is_null());
    CHECK(sent[i].at("error").at("code").to_number<int>() < 0);
  }
  CHECK(sent[5] == json::parse(R"({"jsonrpc":"2.0","id":"x","result":{}})"));
}

TEST_CASE("calls are answered as they end, while the client asks others") {
  rig_of_lines all;
  all.client.receive(slow_call("1"));
  all.slow.await_begun(1);
  all.client.receive(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  CHECK(all.sent.get(1)[0].at("id") == 2);
  all.slow.let_end();
  const auto sent = all.sent.get(2);
  CHECK(sent[1].at("id") == 1);
  CHECK(sent[1].at("result").at("structuredContent").at("went") == true);
}

TEST_CASE("an id that is still open is refused, and free once cancelled") {
  rig_of_lines all;
  all.client.receive(slow_call("1"));
  all.slow.await_begun(1);
  all.client.receive(slow_call("1"));
  CHECK(all.sent.get(1)[0].at("error").at("code") == -32600);
  all.client.receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                     R"("params":{"requestId":1}})");
  all.slow.await_ended(1);
  all.client.receive(slow_call("1"));
  all.slow.await_begun(2);
  all.slow.let_end();
  const auto sent = all.sent.get(2);
  CHECK(sent[1].at("result").at("structuredContent").at("went") == true);
  all.client.end();
  CHECK(all.sent.get(2).size() == 2); // the cancelled one has no answer
}

TEST_CASE("so many calls are answered at a time, and the next one is refused") {
  rig_of_lines all{{.calls_max = 2}};
  all.client.receive(slow_call("1"));
  all.client.receive(slow_call("2"));
  all.slow.await_begun(2);
  all.client.receive(slow_call("3"));
  const auto sent = all.sent.get(1);
  CHECK(sent[0].at("id") == 3);
  CHECK(sent[0].at("error").at("message").as_string().find("2")
        != json::string::npos);
  all.slow.let_end();
  CHECK(all.sent.get(3).size() == 3);
}

TEST_CASE(
  "at its end a client still gets what it has asked for, without a wait") {
  rig_of_lines all;
  all.client.receive(slow_call("1"));
  all.slow.await_begun(1);
  all.client.end();
  const auto sent = all.sent.get(1);
  CHECK(sent[0].at("result").at("structuredContent").at("went") == false);
  all.client.receive(slow_call("2"));
  CHECK(all.sent.get(2)[1].at("error").at("message")
        == "the server is stopping");
}

TEST_CASE("a wait for a session ends with the client, and says how it stands") {
  rig_of_lines all;
  const auto session = all.rig.run(with_person());
  const auto id = text_in(session, "session_id");
  // It has a question, so no more events come.
  all.client.receive(
    json::serialize(json::object{{"jsonrpc", "2.0"},
                                 {"id", 1},
                                 {"method", "tools/call"},
                                 {"params",
                                  {{"name", "read_events"},
                                   {"arguments",
                                    {{"session_id", id},
                                     {"after", session.at("events")},
                                     {"wait_ms", 300'000}}}}}}));
  all.client.end();
  const auto sent = all.sent.get(1);
  const auto& made = sent[0].at("result").at("structuredContent");
  CHECK(made.at("events").as_array().empty());
  CHECK(made.at("next") == session.at("events"));
  CHECK(made.at("ended") == false);
}

TEST_CASE("a call that fails inside gets an error, and its place is free") {
  mcp_rig rig{{.calls_max = 1},
              {},
              {},
              {{.name = "faulty",
                .title = "Faulty",
                .about = "Fails",
                .scope = "runs:read",
                .input_schema = R"({"type": "object"})",
                .output_schema = R"({"type": "object"})",
                .run = [](const server::tool_call&) -> server::tool_answer {
                  throw std::runtime_error{"on purpose"};
                }}}};
  for (int i = 0; i < 3; ++i)
    CHECK(rig.fault("tools/call", {{"name", "faulty"}}).code == -32603);
}
