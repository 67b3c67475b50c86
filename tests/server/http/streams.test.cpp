#include "test_server.hpp"

#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>

// There in a program that is linked with a sanitizer, whatever this file was
// compiled with.
extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
}

using namespace convene::server;
using namespace convene::tests;
using Catch::Contains;

namespace {

using std::chrono::milliseconds;

void wait_for(const std::function<bool()>& holds) {
  for (int tries = 0; !holds(); ++tries) {
    REQUIRE(tries < 12'000);
    std::this_thread::sleep_for(milliseconds{10});
  }
}

/// Streams at /stream what `make` makes for each request.
route stream_route(
  std::function<std::shared_ptr<stream_source>(const request&)> make,
  std::string type = "text/event-stream") {
  return {.method = "GET",
          .pattern = "/stream",
          .call = [make = std::move(make),
                   type = std::move(type)](const request& what, responder to) {
            to({.content_type = type, .stream = make(what)});
          }};
}

std::string event(std::size_t number) {
  return "id: " + std::to_string(number)
         + "\ndata: " + std::string(number % 7, 'x') + "\n\n";
}

/// The numbered events after Last-Event-ID, some at a time, up to `last`.
class numbered_events : public stream_source {
public:
  numbered_events(std::string_view last_id, std::size_t last)
    : at_{last_id.empty() ? 0 : std::stoul(std::string{last_id})}, last_{last} {
  }

  part read(std::size_t, std::function<void()>) override {
    part out;
    for (int count = 0; count < 3 && at_ < last_; ++count)
      out.bytes += event(++at_);
    out.is_last = at_ == last_;
    return out;
  }

private:
  std::size_t at_;
  std::size_t last_;
};

/// The content of chunks, and whether the last one came.
std::pair<std::string, bool> unchunked(std::string_view bytes) {
  std::string out;
  for (;;) {
    const auto end = bytes.find("\r\n");
    if (end == bytes.npos)
      return {out, false};
    const auto size = std::stoul(std::string{bytes.substr(0, end)}, nullptr,
                                 16);
    if (size == 0)
      return {out, bytes.substr(end) == "\r\n\r\n"};
    out += bytes.substr(end + 2, size);
    bytes.remove_prefix(std::min(bytes.size(), end + 2 + size + 2));
  }
}

/// As much as can be asked of it.
class endless : public stream_source {
public:
  part read(std::size_t bytes_max, std::function<void()>) override {
    ++reads;
    return {.bytes = std::string(bytes_max, 'x')};
  }

  static inline std::atomic<std::size_t> reads = 0;
};

} // namespace

TEST_CASE("a stream is sent in chunks, and then another request is taken") {
  const test_server server{{stream_route(
    [](const request&) { return std::make_shared<numbered_events>("", 5); })}};
  auto client = server.connect();
  client.send(server.get("/stream"));
  CHECK_THAT(client.until("\r\n\r\n"),
             Contains("Transfer-Encoding: chunked\r\n")
               && Contains("Content-Type: text/event-stream\r\n")
               && Contains("X-Accel-Buffering: no\r\n"));
  const auto [text, whole] = unchunked(client.until("\r\n0\r\n\r\n"));
  CHECK(whole);
  CHECK(text == event(1) + event(2) + event(3) + event(4) + event(5));
  client.send(server.get("/hello"));
  CHECK(status_of(client.answer()) == 200);
  // HTTP/1.0 has no chunks.
  auto old = server.connect();
  old.send("GET /stream HTTP/1.0\r\n\r\n");
  CHECK(old.until("\r\n\r\n").find("chunked") == std::string::npos);
  CHECK(old.all() == text);
}

TEST_CASE("a stream that is cut at any byte goes on where it was") {
  static constexpr std::size_t last = 9;
  const test_server server{{stream_route([](const request& what) {
    return std::make_shared<numbered_events>(what.header("last-event-id"),
                                             last);
  })}};
  std::string whole;
  for (std::size_t number = 1; number <= last; ++number)
    whole += event(number);
  // Cut after so many bytes of the stream, and joined after the last event
  // that came whole.
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    INFO(cut);
    std::string seen;
    std::size_t events = 0;
    {
      auto first = server.connect();
      first.send(server.get("/stream"));
      static_cast<void>(first.until("\r\n\r\n"));
      seen = unchunked(first.until("0\r\n\r\n")).first.substr(0, cut);
      first.reset();
    }
    while (seen.find("\n\n") != seen.npos
           && seen.starts_with(event(events + 1)))
      seen.erase(0, event(++events).size());
    auto second = server.connect();
    second.send(server.get(
      "/stream",
      events == 0 ? "" : "Last-Event-ID: " + std::to_string(events) + "\r\n"));
    static_cast<void>(second.until("\r\n\r\n"));
    std::string expected;
    for (auto number = events + 1; number <= last; ++number)
      expected += event(number);
    CHECK(unchunked(second.until("0\r\n\r\n")).first == expected);
  }
}

TEST_CASE("events go out as they come, and silence shows that it lives") {
  http_limits limits;
  limits.keepalive_time = milliseconds{50};
  const auto source
    = std::make_shared<told_stream>(std::vector<std::string>{"data: 1\n\n"});
  const test_server server{
    {stream_route([&](const request&) { return source; })}, limits};
  auto client = server.connect();
  client.send(server.get("/stream"));
  CHECK_THAT(client.until("data: 1\n\n"), Contains("200 OK"));
  CHECK_THAT(client.until(":keepalive\n\n\r\n"), Contains("c\r\n"));
  static_cast<void>(client.until(":keepalive\n\n\r\n"));
  source->add("data: 2\n\n");
  CHECK_THAT(client.until("data: 2\n\n"), Contains("9\r\n"));
  static_cast<void>(client.until(":keepalive\n\n"));
  CHECK(server->counts().streams == 1);
}

TEST_CASE("what is no stream of events gets no comments") {
  http_limits limits;
  limits.keepalive_time = milliseconds{10};
  const auto source
    = std::make_shared<told_stream>(std::vector<std::string>{"{"});
  const test_server server{{stream_route([&](const request&) { return source; },
                                         "application/json")},
                           limits};
  auto client = server.connect();
  client.send(server.get("/stream"));
  static_cast<void>(client.until("1\r\n{\r\n"));
  std::this_thread::sleep_for(milliseconds{60});
  source->add("}");
  CHECK(client.until("}\r\n") == "1\r\n}\r\n");
}

TEST_CASE("a reader that goes away ends its stream") {
  const bool resets = GENERATE(true, false);
  http_limits limits;
  limits.keepalive_time = std::chrono::hours{1}; // nothing is written, either
  const auto source
    = std::make_shared<told_stream>(std::vector<std::string>{"data: 1\n\n"});
  const test_server server{
    {stream_route([&](const request&) { return source; })}, limits};
  auto client = server.connect();
  client.send(server.get("/stream"));
  static_cast<void>(client.until("data: 1\n\n"));
  wait_for([&] { return server->counts().streams == 1; });
  if (resets)
    client.reset();
  else
    client.hang_up();
  wait_for([&] { return server->counts().streams == 0; });
  wait_for([&] { return server->counts().connections == 0; });
  // Only this one is left.
  CHECK(source.use_count() == 1);
}

TEST_CASE("a reader that takes nothing is cut off, and is not read ahead for") {
  http_limits limits;
  limits.stall_time = milliseconds{300};
  const test_server server{
    {stream_route([](const request&) { return std::make_shared<endless>(); })},
    limits};
  endless::reads = 0;
  raw_client client{server->port(), 4'096};
  client.send(server.get("/stream"));
  wait_for([&] { return endless::reads > 0; });
  wait_for([&] { return server->counts().connections == 0; });
  // What the socket buffers hold, and one part.
  CHECK(endless::reads < 200);
}

TEST_CASE("more streams than allowed are refused") {
  http_limits limits;
  limits.streams_max = 1;
  const auto source
    = std::make_shared<told_stream>(std::vector<std::string>{"data: 1\n\n"});
  const test_server server{
    {stream_route([&](const request&) { return source; })}, limits};
  auto client = server.connect();
  client.send(server.get("/stream"));
  static_cast<void>(client.until("data: 1\n\n"));
  const auto refused = server.ask(server.get("/stream"));
  CHECK(status_of(refused) == 503);
  CHECK_THAT(refused, Contains("streams_max"));
  client.hang_up();
  wait_for([&] { return server->counts().streams == 0; });
}

TEST_CASE("a stream whose key was revoked before it began shows nothing") {
  std::atomic<bool> is_known = true;
  http_server_options how;
  how.authenticate = [](std::string_view) { return caller{.key_id = "k"}; };
  how.is_caller = [&is_known](const caller&) { return is_known.load(); };
  const auto events
    = std::make_shared<told_stream>(std::vector<std::string>{"data: 1\n\n"});
  const test_server server{{stream_route([&](const request&) {
                             is_known = false;
                             return events;
                           })},
                           patient_limits(),
                           std::move(how)};
  auto client = server.connect();
  client.send(server.get("/stream", "Authorization: Bearer k\r\n"));
  CHECK_THAT(client.until("\r\n\r\n"), Contains("200 OK"));
  CHECK(client.all() == "0\r\n\r\n");
}

TEST_CASE("a stream that throws is cut, never ended as if it were whole") {
  struct broken : stream_source {
    part read(std::size_t, std::function<void()>) override {
      if (is_begun)
        throw std::runtime_error{"secret"};
      is_begun = true;
      return {.bytes = "data: 1\n\n"};
    }
    bool is_begun = false;
  };
  const test_server server{
    {stream_route([](const request&) { return std::make_shared<broken>(); })}};
  auto client = server.connect();
  client.send(server.get("/stream"));
  CHECK_THAT(client.all(), Contains("data: 1\n\n") && !Contains("0\r\n\r\n"));
}

TEST_CASE("stopping ends streams of events, finishes answers, takes no more") {
  const auto events
    = std::make_shared<told_stream>(std::vector<std::string>{"data: 1\n\n"});
  std::atomic<int> asked = 0;
  const test_server server{
    {stream_route([&](const request&) { return events; }),
     {.method = "GET",
      .pattern = "/slow",
      .call = [&asked](const request&, responder to) {
        to.after(std::chrono::hours{1}, [] { return response{.status = 202}; });
        ++asked;
      }}}};
  auto stream = server.connect();
  stream.send(server.get("/stream"));
  static_cast<void>(stream.until("data: 1\n\n\r\n"));
  auto slow = server.connect();
  slow.send(server.get("/slow"));
  wait_for([&] { return asked == 1; });
  auto idle = server.connect();
  idle.send(server.get("/hello"));
  CHECK(status_of(idle.answer()) == 200);
  server->stop(std::chrono::minutes{2});
  CHECK(stream.all() == "0\r\n\r\n");
  const auto last = slow.all();
  CHECK(status_of(last) == 202);
  CHECK_THAT(last, Contains("Connection: close"));
  CHECK(idle.all().empty());
  CHECK(server->counts().connections == 0);
  events->add("data: 2\n\n"); // nobody is there
}

TEST_CASE("stopping meets those who are just connecting") {
  for (int round = 0; round < 20; ++round) {
    const test_server server;
    std::vector<raw_client> crowd;
    for (int count = 0; count < 10; ++count)
      crowd.push_back(server.connect());
    server->stop(std::chrono::minutes{2}); // some are accepted meanwhile
    REQUIRE(server->counts().connections == 0);
    for (auto& each : crowd)
      REQUIRE(each.all().empty());
  }
}

TEST_CASE("what does not end within the grace is cut") {
  std::promise<responder> held;
  const test_server server{{{.method = "GET",
                             .pattern = "/never",
                             .call = [&held](const request&, responder to) {
                               held.set_value(std::move(to));
                             }}}};
  auto client = server.connect();
  client.send(server.get("/never"));
  const auto to = held.get_future().get();
  server->stop(milliseconds{50});
  CHECK(client.all().empty());
  to({.status = 200}); // long after
}

TEST_CASE("an idle stream of events costs less than 16 KB") {
  if (__asan_init != nullptr || __tsan_init != nullptr) {
    WARN("sanitizers have memory of their own: not run");
    return;
  }
  constexpr std::size_t streams = 2'000;
  rlimit descriptors{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &descriptors) == 0);
  if (descriptors.rlim_max < 2 * streams + 100) {
    WARN("too few descriptors are allowed here: not run");
    return;
  }
  descriptors.rlim_cur = descriptors.rlim_max;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &descriptors) == 0);
  const test_server server{{stream_route([](const request&) {
    return std::make_shared<told_stream>(
      std::vector<std::string>{"data: 1\n\n"});
  })}};
  const auto bytes_now = [] {
    std::ifstream pages{"/proc/self/statm"};
    std::size_t all = 0;
    std::size_t resident = 0;
    pages >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  };
  std::vector<raw_client> clients;
  clients.reserve(streams);
  std::size_t before = 0;
  for (std::size_t number = 0; number < streams; ++number) {
    // What the first one allocates is there for all.
    if (number == 1)
      before = bytes_now();
    clients.push_back(server.connect());
    clients.back().send(server.get("/stream"));
    static_cast<void>(clients.back().until("data: 1\n\n\r\n"));
  }
  CHECK(server->counts().streams == streams);
  const auto each = (bytes_now() - before) / streams;
  CAPTURE(each);
  CHECK(each < 16'384);
}

namespace {

/// Says three words, each when it is asked again after a millisecond; then it
/// is cut, or ends.
class timed_words : public stream_source {
public:
  explicit timed_words(bool is_cut) : is_cut_{is_cut} {}

  part read(std::size_t, std::function<void()>) override {
    if (reads_++ % 2 == 0)
      return {.again_after = milliseconds{1}};
    if (reads_ < 7)
      return {.bytes = "word" + std::to_string(reads_ / 2)};
    return {.is_last = !is_cut_, .is_cut = is_cut_};
  }

private:
  int reads_ = 0;
  bool is_cut_;
};

} // namespace

TEST_CASE("a stream that names a time is asked again then") {
  const test_server server{{stream_route(
    [](const request&) { return std::make_shared<timed_words>(false); },
    "text/plain")}};
  auto client = server.connect();
  client.send(server.get("/stream", "Connection: close\r\n"));
  const auto got = client.all();
  CHECK_THAT(got, Contains("word1") && Contains("word2") && Contains("word3"));
  CHECK(got.ends_with("0\r\n\r\n"));
}

TEST_CASE("a stream that is cut ends its connection without an end") {
  const test_server server{{stream_route(
    [](const request&) { return std::make_shared<timed_words>(true); },
    "text/plain")}};
  auto client = server.connect();
  client.send(server.get("/stream"));
  const auto got = client.all();
  CHECK_THAT(got, Contains("word3"));
  CHECK_FALSE(got.ends_with("0\r\n\r\n"));
}
