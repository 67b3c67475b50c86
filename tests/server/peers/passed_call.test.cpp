#include <convene/server/peers/passed_call.hpp>
#include <server/http/test_server.hpp>

#include <atomic>
#include <future>
#include <thread>

using namespace convene;
using namespace convene::tests;
using server::passed_call;
using server::response;

namespace {

constexpr std::size_t long_answer = 48 << 20;

/// Counts what is asked of it, up to `long_answer`.
class long_stream : public server::stream_source {
public:
  part read(std::size_t bytes_max, std::function<void()>) override {
    const auto count = std::min(bytes_max, long_answer - made.load());
    made += count;
    return {.bytes = std::string(count, 'x'), .is_last = made == long_answer};
  }
  ~long_stream() override {
    is_gone = true;
  }
  long_stream() = default;
  long_stream(const long_stream&) = delete;
  long_stream& operator=(const long_stream&) = delete;

  inline static std::atomic<std::size_t> made = 0;
  inline static std::atomic<bool> is_gone = false;
};

server::http_server_options upstream() {
  server::http_server_options how{{.port = 0, .limits = patient_limits()}};
  how.anybody.scopes = {"any"};
  const auto add = [&](const char* method, const char* pattern,
                       server::handler call) {
    how.endpoints.push_back(
      {.method = method, .pattern = pattern, .call = std::move(call)});
  };
  add("GET", "/long", [](const server::request&, const server::responder& to) {
    to({.content_type = "text/plain",
        .stream = std::make_shared<long_stream>()});
  });
  add("GET", "/short", [](const server::request&, const server::responder& to) {
    to({.status = 409, .body = R"({"no":1})", .headers = {{"Location", "/x"}}});
  });
  add("GET", "/wrong", [](const server::request&, const server::responder& to) {
    to({.status = 421, .body = "{}"});
  });
  add("POST", "/bytes",
      [](const server::request&, const server::responder& to) {
        to({.body = std::string(1'000, 'y')});
      });
  return how;
}

/// A server, and what becomes of a call to it.
struct call_rig {
  explicit call_rig() {
    auto made = server::http_server::start(upstream());
    REQUIRE(made);
    up = *std::move(made);
    long_stream::made = 0;
    long_stream::is_gone = false;
  }

  std::shared_ptr<passed_call> begin(const std::string& path,
                                     std::size_t bytes_max = 10'000,
                                     const std::string& method = "GET") {
    return passed_call::begin(
      client, {.method = method, .url = up->url() + path}, bytes_max,
      {.answer = [this](response got) { answer.set_value(std::move(got)); },
       .fail =
         [this](passed_call::failure why) {
           failure.set_value(std::move(why));
         },
       .cut = [this] { cuts = cuts + 1; }});
  }

  std::unique_ptr<server::http_server> up;
  std::promise<response> answer;
  std::promise<passed_call::failure> failure;
  std::atomic<int> cuts = 0;
  host::http_client client{
    {.may_connect = [](const host::http_peer&) { return true; }}};
};

/// All that comes of a stream; `end` is its last part.
std::size_t drained(server::stream_source& from,
                    server::stream_source::part& end) {
  std::size_t bytes = 0;
  for (;;) {
    std::promise<void> more;
    auto wait = std::make_shared<std::promise<void>>();
    auto part = from.read(16'000, [wait] { wait->set_value(); });
    bytes += part.bytes.size();
    if (part.is_last || part.is_cut) {
      end = std::move(part);
      return bytes;
    }
    if (part.bytes.empty())
      wait->get_future().wait();
  }
}

/// Once the upstream has made nothing more for a while.
std::size_t settled() {
  for (std::size_t before = 0;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    const std::size_t now = long_stream::made;
    if (now != 0 && now == before)
      return now;
    before = now;
  }
}

} // namespace

TEST_CASE("a short answer is handed on with its status and headers") {
  call_rig rig;
  const auto call = rig.begin("/short");
  const auto got = rig.answer.get_future().get();
  CHECK(got.status == 409);
  CHECK(got.body == R"({"no":1})");
  CHECK(got.content_type == "application/json");
  CHECK(got.stream == nullptr);
  bool has_location = false;
  for (const auto& [name, value] : got.headers) {
    has_location = has_location || (name == "location" && value == "/x");
    CHECK(name != "x-request-id");
    CHECK(name != "content-length");
  }
  CHECK(has_location);
}

TEST_CASE("a long answer comes no faster than it is read, and is whole") {
  call_rig rig;
  const auto call = rig.begin("/long");
  const auto got = rig.answer.get_future().get();
  REQUIRE(got.stream != nullptr);
  CHECK(settled() < long_answer / 2);
  server::stream_source::part end;
  CHECK(drained(*got.stream, end) == long_answer);
  CHECK(end.is_last);
  CHECK(rig.cuts == 0);
}

TEST_CASE("a reader that goes away ends the call") {
  call_rig rig;
  {
    const auto call = rig.begin("/long");
    const auto got = rig.answer.get_future().get();
  }
  while (!long_stream::is_gone)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  CHECK(long_stream::made < long_answer);
}

TEST_CASE("an answer that ends too early is cut, not ended") {
  call_rig rig;
  const auto call = rig.begin("/long");
  const auto got = rig.answer.get_future().get();
  rig.up.reset();
  server::stream_source::part end;
  CHECK(drained(*got.stream, end) < long_answer);
  CHECK(end.is_cut);
  CHECK_FALSE(end.is_last);
  CHECK(rig.cuts == 1);
}

TEST_CASE(
  "421 is a failure, and so are a server that is gone and an answer that "
  "is too long") {
  {
    call_rig rig;
    const auto call = rig.begin("/wrong");
    CHECK(rig.failure.get_future().get().status == 421);
  }
  {
    call_rig rig;
    const auto call = rig.begin("/bytes", 999, "POST");
    CHECK(rig.failure.get_future().get().code == "answer_bytes_max");
  }
  call_rig rig;
  const auto url = rig.up->url();
  rig.up->stop(std::chrono::milliseconds{0});
  const auto call = rig.begin("/short");
  CHECK(rig.failure.get_future().get().code == "connect_failed");
}
