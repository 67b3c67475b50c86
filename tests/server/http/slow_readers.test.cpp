#include "test_server.hpp"

#include <convene/server/http/answer_budget.hpp>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

using namespace convene::server;
using namespace convene::tests;
using Catch::Contains;

namespace {

using std::chrono::milliseconds;

void until(const std::function<bool()>& holds) {
  for (int tries = 0; !holds(); ++tries) {
    REQUIRE(tries < 12'000);
    std::this_thread::sleep_for(milliseconds{5});
  }
}

/// Answers, or streams in long parts, as many bytes as nobody takes at once.
routes long_answers(std::size_t bytes) {
  struct long_parts : stream_source {
    explicit long_parts(std::size_t each) : bytes{each} {}
    part read(std::size_t, std::function<void()>) override {
      return {.bytes = std::string(bytes, 'x')};
    }
    std::size_t bytes;
  };
  return {{.method = "GET",
           .pattern = "/long",
           .call
           = [bytes](const request&,
                     responder to) { to({.body = std::string(bytes, 'x')}); }},
          {.method = "GET",
           .pattern = "/stream",
           .call =
             [bytes](const request&, responder to) {
               to({.content_type = "text/event-stream",
                   .stream = std::make_shared<long_parts>(bytes)});
             }},
          {.method = "GET",
           .pattern = "/alive",
           .call = [](const request&, responder to) { to({}); },
           .is_vital = true}};
}

constexpr std::size_t long_bytes = 2 << 20;

/// The callers are named by their keys.
http_server_options by_name() {
  http_server_options how;
  how.authenticate = [](std::string_view key) {
    return caller{.key_id = std::string{key}};
  };
  return how;
}

std::string key(const std::string& name) {
  return "Authorization: Bearer " + name + "\r\n";
}

} // namespace

TEST_CASE("bytes that a key's readers do not take are bounded") {
  auto limits = patient_limits();
  limits.key_answers_bytes_max = 2 * long_bytes;
  const test_server server{long_answers(long_bytes), limits, by_name()};
  std::vector<raw_client> slow;
  for (int count = 0; count < 2; ++count) {
    slow.emplace_back(server->port(), 4'096);
    slow.back().send(server.get("/long", key("ann")));
    until([&] {
      return server->counts().answer_bytes == slow.size() * long_bytes;
    });
  }
  const auto refused = server.ask(server.get("/long", key("ann")));
  CHECK(status_of(refused) == 429);
  CHECK_THAT(refused,
             Contains("key_answers_bytes_max") && Contains("Retry-After: "));
  CHECK(status_of(server.ask(server.get("/alive", key("ann")))) == 200);
  CHECK(status_of(server.ask(server.get("/hello", key("bob")))) == 200);
  slow.clear();
  until([&] { return server->counts().answer_bytes == 0; });
  CHECK(status_of(server.ask(server.get("/hello", key("ann")))) == 200);
}

TEST_CASE("bytes that all readers do not take are bounded") {
  auto limits = patient_limits();
  limits.answers_bytes_max = 2 * long_bytes;
  const test_server server{long_answers(long_bytes), limits, by_name()};
  std::vector<raw_client> slow;
  for (const auto* name : {"ann", "bob"}) {
    slow.emplace_back(server->port(), 4'096);
    slow.back().send(server.get("/long", key(name)));
    until([&] {
      return server->counts().answer_bytes == slow.size() * long_bytes;
    });
  }
  const auto refused = server.ask(server.get("/long", key("eve")));
  CHECK(status_of(refused) == 503);
  CHECK_THAT(refused,
             Contains("answers_bytes_max") && Contains("Retry-After: "));
  CHECK(status_of(server.ask(server.get("/alive", key("eve")))) == 200);
}

TEST_CASE("an answer that is too long is an error that names the limit") {
  auto limits = patient_limits();
  limits.answer_bytes_max = 1'000;
  const test_server server{long_answers(long_bytes), limits};
  const auto refused = server.ask(server.get("/long"));
  CHECK(status_of(refused) == 500);
  CHECK_THAT(refused, Contains("--limit answer_bytes_max"));
}

TEST_CASE("streams that nobody reads hold no more than their key may") {
  auto limits = patient_limits();
  limits.key_answers_bytes_max = 3 * long_bytes;
  const test_server server{long_answers(long_bytes), limits};
  std::vector<raw_client> slow;
  for (int count = 0; count < 16; ++count) {
    slow.emplace_back(server->port(), 4'096);
    slow.back().send(server.get("/stream"));
    // Requests are refused once the key is full; streams that are open wait.
    static_cast<void>(slow.back().until("\r\n\r\n"));
  }
  until([&] { return server->counts().answer_bytes >= 3 * long_bytes; });
  std::this_thread::sleep_for(milliseconds{300});
  // Of what the bound does not count, one part for each thread.
  constexpr std::size_t framing = 16; // of a chunk
  CHECK(server->counts().answer_bytes <= 5 * (long_bytes + framing));
  CHECK(status_of(server.ask(server.get("/alive"))) == 200);
}

TEST_CASE("a stream goes on once there is room for it") {
  auto limits = patient_limits();
  limits.key_answers_bytes_max = long_bytes;
  const auto source
    = std::make_shared<told_stream>(std::vector<std::string>{"data: 1\n\n"});
  auto endpoints = long_answers(long_bytes);
  endpoints.push_back(
    {.method = "GET",
     .pattern = "/told",
     .call = [&](const request&, responder to) {
       to({.content_type = "text/event-stream", .stream = source});
     }});
  const test_server server{std::move(endpoints), limits};
  auto patient = server.connect();
  patient.send(server.get("/told"));
  static_cast<void>(patient.until("data: 1\n\n\r\n"));
  {
    raw_client slow{server->port(), 4'096};
    slow.send(server.get("/long"));
    until([&] { return server->counts().answer_bytes == long_bytes; });
    source->add("data: 2\n\n");
    std::this_thread::sleep_for(milliseconds{250});
    CHECK(server->counts().answer_bytes == long_bytes);
  }
  CHECK_THAT(patient.until("data: 2\n\n"), Contains("data: 2"));
}

TEST_CASE("a reader that takes too little for too long is cut off") {
  auto limits = patient_limits();
  limits.stall_time = milliseconds{200};
  limits.bytes_per_second_min = 64 << 20;
  const test_server server{long_answers(16U << 20), limits};
  raw_client slow{server->port(), 4'096};
  slow.send(server.get("/long"));
  // It always takes something before `stall_time` is over.
  std::size_t reads = 0;
  while (slow.receive()) {
    std::this_thread::sleep_for(milliseconds{20});
    ++reads;
  }
  CHECK(reads < 1'000); // the answer has at least as many pieces
}

TEST_CASE("what tells whether a server lives is answered while it is full") {
  auto limits = patient_limits();
  limits.connections_max = 2;
  const test_server server{long_answers(1), limits};
  auto one = server.connect();
  auto two = server.connect();
  until([&] { return server->counts().connections == 2; });
  for (int count = 0; count < 100; ++count) {
    const auto alive = server.ask(server.get("/alive"));
    CHECK(status_of(alive) == 200);
    CHECK_THAT(alive, Contains("Connection: close"));
  }
  const auto refused = server.ask(server.get("/hello"));
  CHECK(status_of(refused) == 503);
  CHECK_THAT(refused, Contains("connections_max") && Contains("Retry-After: "));
  // Nor do those that are beyond the bound keep others out.
  std::vector<raw_client> idle;
  for (int count = 0; count < 150; ++count)
    idle.push_back(server.connect());
  CHECK(status_of(server.ask(server.get("/alive"))) == 200);
}

TEST_CASE("connections of one key leave room for those of others") {
  auto limits = patient_limits();
  limits.key_connections_max = 2;
  const test_server server{long_answers(16), limits, by_name()};
  std::vector<raw_client> held;
  const auto ask = [&](const std::string& target, const std::string& name) {
    held.push_back(server.connect());
    held.back().send("GET " + target + " HTTP/1.1\r\n" + server.host()
                     + key(name) + "\r\n");
    return held.back().answer();
  };
  for (int count = 0; count < 2; ++count)
    CHECK(status_of(ask("/long", "ann")) == 200);
  const auto refused = ask("/long", "ann");
  CHECK(status_of(refused) == 429);
  CHECK_THAT(refused,
             Contains("key_connections_max") && Contains("Connection: close"));
  CHECK(status_of(ask("/alive", "ann")) == 200);
  CHECK(status_of(ask("/long", "bob")) == 200);
  // One that another key uses, or that has gone, is not hers any more.
  held.front().send("GET /long HTTP/1.1\r\n" + server.host() + key("bob")
                    + "\r\n");
  CHECK(status_of(held.front().answer()) == 200);
  CHECK(status_of(ask("/long", "ann")) == 200);
  CHECK(status_of(ask("/long", "ann")) == 429);
  held.clear();
  until([&] { return server->counts().connections == 0; });
  CHECK(status_of(ask("/long", "ann")) == 200);
}

TEST_CASE("connections of one address leave room for those of others") {
  auto limits = patient_limits();
  limits.address_connections_max = 3;
  const test_server server{long_answers(1), limits};
  std::vector<raw_client> open;
  for (std::size_t count = 0; count < 3; ++count) {
    open.push_back(server.connect());
    until([&] { return server->counts().connections == count + 1; });
  }
  CHECK(status_of(server.ask(server.get("/alive"))) == 200);
  const auto refused = server.ask(server.get("/hello"));
  CHECK(status_of(refused) == 503);
  CHECK_THAT(refused, Contains("connections_max"));
  raw_client other{server->port(), 0, "127.0.0.2"};
  other.send(server.get("/hello"));
  CHECK(status_of(other.answer()) == 200);
  // Whoever leaves makes room again.
  open.pop_back();
  until([&] { return status_of(server.ask(server.get("/hello"))) == 200; });
}

TEST_CASE("what tells whether a server lives waits for no handler") {
  std::promise<void> end;
  const auto over = end.get_future().share();
  std::atomic<int> blocked = 0;
  auto endpoints = long_answers(1);
  endpoints.push_back({.method = "GET",
                       .pattern = "/block",
                       .call = [&](const request&, responder to) {
                         ++blocked;
                         over.wait();
                         to({});
                       }});
  const test_server server{std::move(endpoints)};
  std::vector<raw_client> waiting;
  for (int count = 0; count < 8; ++count) {
    waiting.push_back(server.connect());
    waiting.back().send(server.get("/block"));
  }
  until([&] { return blocked == 2; });
  std::thread later{[&end] {
    std::this_thread::sleep_for(std::chrono::seconds{20});
    end.set_value();
  }};
  CHECK(status_of(server.ask(server.get("/alive"))) == 200);
  const int begun = blocked; // none of them has ended
  CHECK(begun == 2);
  later.detach();
  for (auto& each : waiting)
    CHECK(status_of(each.answer()) == 200);
}

TEST_CASE("who waits for news and goes away is forgotten, whatever they sent") {
  const std::string more = GENERATE("", "\r\n", "GET /hel", "GET /later", "xx");
  std::atomic<int> asked = 0;
  const test_server server{{{.method = "GET",
                             .pattern = "/later",
                             .call = [&asked](const request&, responder to) {
                               to.after(std::chrono::hours{1},
                                        [] { return response{}; });
                               ++asked;
                             }}}};
  constexpr int count = 20;
  for (int number = 0; number < count; ++number) {
    auto gone = server.connect();
    gone.send(server.get("/later")
              + (more == "GET /later" ? server.get("/later") : more));
    if (number % 2 == 0)
      until([&] { return asked > number; });
  }
  until([&] { return server->counts().connections == 0; });
}

TEST_CASE("a POST that only waits for news ends with its caller, no other") {
  std::atomic<int> asked = 0;
  std::atomic<int> made = 0;
  const auto waiting = [&](bool for_news) {
    return [&, for_news](const request&, responder to) {
      const auto make = [&made] {
        ++made;
        return response{};
      };
      if (for_news)
        to.with_news_after(std::chrono::hours{1}, make);
      else
        to.after(std::chrono::hours{1}, make);
      ++asked;
    };
  };
  const test_server server{
    {{.method = "POST", .pattern = "/news", .call = waiting(true)},
     {.method = "POST", .pattern = "/done", .call = waiting(false)}}};
  auto done = server.connect();
  done.send(server.post("/done", "{}"));
  done.stop_sending();
  until([&] { return asked == 1; });
  auto news = server.connect();
  news.send(server.post("/news", "{}"));
  until([&] { return asked == 2; });
  news.hang_up();
  until([&] { return server->counts().connections == 1; });
  CHECK(made == 1);
  done.reset();
  until([&] { return server->counts().connections == 0; });
}

TEST_CASE("requests that came at once are answered after the last was sent") {
  const test_server server;
  auto client = server.connect();
  client.send(server.get("/hello") + server.get("/hello"));
  client.stop_sending();
  CHECK(status_of(client.answer()) == 200);
  CHECK(status_of(client.answer()) == 200);
}

TEST_CASE("a budget counts each reader and all of them") {
  const auto budget
    = std::make_shared<answer_budget>(answer_budget::limits{10, 25});
  using room = answer_budget::room;
  CHECK(budget->room_for("a", 1'000) == room::enough); // it has nothing
  auto first = budget->take("a", 8);
  CHECK(budget->room_for("a", 2) == room::enough);
  CHECK(budget->room_for("a", 3) == room::reader_full);
  answer_budget::charge more;
  CHECK(budget->try_take("b", 10, more) == room::enough);
  CHECK(budget->room_for("c", 8) == room::full);
  CHECK(budget->room_for("c", 7) == room::enough);
  first = budget->take("a", 1);
  CHECK(budget->bytes() == 11);
  CHECK(budget->take_peak() == 19);
  more.release();
  more.release();
  CHECK(budget->bytes() == 1);
  first = {};
  CHECK(budget->bytes() == 0);
  CHECK(budget->room_for("c", 1'000) == room::enough);
}
