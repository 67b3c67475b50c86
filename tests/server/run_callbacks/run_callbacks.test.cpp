#include <convene/server/run_callbacks/run_callbacks.hpp>
#include <server/http/test_server.hpp>
#include <server/runs/hosted.hpp>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

using namespace convene;
using namespace convene::tests;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

/// Somebody who is called, and answers with one status.
class receiver {
public:
  explicit receiver(unsigned status)
    : server_{{{.method = "POST",
                .pattern = "/told",
                .call = [this, status](const request&, responder to) {
                  ++calls_;
                  to({.status = status});
                }}}} {}

  [[nodiscard]] std::string url() const {
    return server_->url() + "/told";
  }
  [[nodiscard]] int calls() const {
    return calls_;
  }

private:
  std::atomic<int> calls_ = 0;
  test_server server_;
};

/// What is said meanwhile for who runs the server.
class diagnostics {
public:
  diagnostics() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~diagnostics() {
    spdlog::set_default_logger(before_);
  }
  diagnostics(const diagnostics&) = delete;
  diagnostics& operator=(const diagnostics&) = delete;

  [[nodiscard]] std::string text() const {
    return text_.str();
  }

private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

std::shared_ptr<run_callbacks>
telling(const std::filesystem::path& folder,
        const std::string& allowed = "net=127.0.0.1") {
  run_callback_options how{.folder = folder, .pauses = {1ms, 1ms}};
  REQUIRE(how.allow.allow(allowed));
  auto made = run_callbacks::open(std::move(how));
  REQUIRE(made);
  return *std::move(made);
}

void owe(run_callbacks& by, const protocol::uuid& run, const std::string& url) {
  std::promise<bool> kept;
  by.expect(run, url, [&kept](const protocol::result<void>& done) {
    kept.set_value(done.has_value());
  });
  REQUIRE(kept.get_future().get());
}

bool comes(const std::function<bool()>& what) {
  for (int i = 0; i < 12'000 && !what(); ++i)
    std::this_thread::sleep_for(10ms);
  return what();
}

protocol::uuid ended_run(const hosting& host) {
  const auto run = host.start("conformance-noop").run_id;
  host.events_at_end(run);
  return protocol::parse_uuid(run).value();
}

} // namespace

TEST_CASE("whom no attempt reaches is not called any more") {
  const receiver other{503};
  hosting host;
  const auto uut = telling(host.data() / "callbacks");
  uut->begin(*host);
  const auto run = ended_run(host);
  owe(*uut, run, other.url());
  uut->ended(run);
  uut->ended(run); // told twice
  CHECK(comes([&] { return uut->counts().owed == 0; }));
  CHECK(other.calls() == 3);
  CHECK(uut->counts().failed == 3);
  CHECK(uut->counts().given_up == 1);
  CHECK(uut->counts().delivered == 0);
  CHECK(std::filesystem::is_empty(host.data() / "callbacks"));
  uut->stop();
}

TEST_CASE("who is owed a call is known until it is made, to the owner of the "
          "folder alone") {
  const receiver other{204};
  hosting host;
  const auto folder = host.data() / "callbacks";
  const auto run = ended_run(host);
  {
    const auto before = telling(folder);
    owe(*before, run, other.url());
  }
  CHECK(std::filesystem::status(folder).permissions()
        == std::filesystem::perms::owner_all);
  const auto uut = telling(folder);
  CHECK(uut->counts().owed == 1);
  uut->begin(*host);
  CHECK(comes([&] { return uut->counts().owed == 0; }));
  CHECK(other.calls() == 1);
  uut->stop();
}

TEST_CASE("a call that is owed waits for a server that may make it") {
  const receiver other{200};
  hosting host;
  const auto folder = host.data() / "callbacks";
  const auto run = ended_run(host);
  {
    const auto uut = telling(folder);
    owe(*uut, run, other.url());
  }
  {
    const auto uut = telling(folder, "net=elsewhere.example");
    uut->begin(*host);
    // Behind what `begin` has set.
    owe(*uut, {.high = 1, .low = 1}, "http://elsewhere.example/");
    uut->stop();
    CHECK(uut->counts().owed == 2);
    CHECK(other.calls() == 0);
  }
  const auto uut = telling(folder);
  uut->begin(*host);
  CHECK(
    comes([&] { return uut->counts().owed == 0; })); // of the other is no run
  CHECK(other.calls() == 1);
  CHECK(uut->counts().delivered == 1);
  CHECK(uut->counts().given_up == 0);
  uut->stop();
}

TEST_CASE("a start that a kill has cut off can be repeated at once") {
  hosting host;
  const auto folder = host.data() / "callbacks";
  const protocol::uuid run{.high = 1, .low = 3};
  owe(*telling(folder), run, "http://127.0.0.1:1/");
  for (int i = 0; i < 20; ++i) {
    const auto uut = telling(folder);
    CHECK(uut->counts().owed == 1);
    uut->begin(*host);
    CHECK(uut->counts().owed == 0);
    owe(*uut, run, "http://127.0.0.1:1/");
    uut->stop();
    CHECK_FALSE(std::filesystem::is_empty(folder));
  }
}

TEST_CASE("who could not be told for a day is not called any more") {
  const receiver other{200};
  hosting host;
  const protocol::uuid run{.high = 1, .low = 2};
  host.close();
  {
    const auto event = [](const std::string& type) {
      return std::make_shared<const std::string>(
        R"({"type":")" + type
        + R"(","timestamp":"2020-01-01T00:00:00.000Z","payload":{}})");
    };
    auto log = run_log::open(host.data() / "runs", protocol::durability::group,
                             [](const protocol::uuid&, std::string_view) {});
    REQUIRE(log);
    REQUIRE((*log)->append(run, {event("run.started"), event("run.failed")}));
    REQUIRE((*log)->close());
  }
  host.open();
  const auto uut = telling(host.data() / "callbacks");
  owe(*uut, run, other.url());
  uut->begin(*host);
  CHECK(comes([&] { return uut->counts().owed == 0; }));
  CHECK(other.calls() == 0);
  CHECK(uut->counts().given_up == 1);
  uut->stop();
}

TEST_CASE("a file that says nothing is left alone") {
  hosting host;
  const auto folder = host.data() / "callbacks";
  std::filesystem::create_directories(folder);
  const auto file = folder / "00000000-0000-4000-8000-000000000001.json";
  std::ofstream{file} << "{";
  std::ofstream{folder / "notes.json"} << R"({"url": "http://127.0.0.1/"})";
  const auto uut = telling(folder);
  CHECK(uut->counts().owed == 0);
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("who refuses to be told is not called again") {
  const receiver other{410};
  hosting host;
  const auto uut = telling(host.data() / "callbacks");
  uut->begin(*host);
  const auto run = ended_run(host);
  owe(*uut, run, other.url());
  uut->ended(run);
  CHECK(comes([&] { return uut->counts().owed == 0; }));
  CHECK(uut->counts().failed == 1);
  CHECK(uut->counts().given_up == 1);
  CHECK(std::filesystem::is_empty(host.data() / "callbacks"));
  uut->stop();
}

TEST_CASE("a run that has not begun after all is told of to nobody") {
  const receiver other{200};
  hosting host;
  const auto uut = telling(host.data() / "callbacks");
  uut->begin(*host);
  const auto run = ended_run(host);
  owe(*uut, run, other.url());
  uut->forget(run);
  CHECK(comes([&] { return uut->counts().owed == 0; }));
  uut->ended(run);
  CHECK(std::filesystem::is_empty(host.data() / "callbacks"));
  uut->stop();
  CHECK(uut->counts().delivered == 0);
  CHECK(other.calls() == 0);
}

TEST_CASE("any public address is none that leads to this machine") {
  const diagnostics said;
  {
    const receiver other{200};
    hosting host;
    const auto uut = telling(host.data() / "callbacks", "net");
    CHECK_FALSE(uut->check(other.url()));
    auto url = other.url();
    url.replace(url.find("127.0.0.1"), 9, "0.0.0.0");
    CHECK(uut->check(url)); // as a name whose addresses nobody knows yet
    uut->begin(*host);
    const auto run = ended_run(host);
    owe(*uut, run, url);
    uut->ended(run);
    CHECK(comes([&] { return uut->counts().owed == 0; }));
    CHECK(uut->counts().given_up == 1);
    uut->stop();
    CHECK(other.calls() == 0);
  }
  CHECK_THAT(said.text(), Contains("address_refused"));
}

TEST_CASE("as many runs are told of as may be, and no more") {
  hosting host;
  const auto uut = telling(host.data() / "callbacks");
  for (std::uint64_t i = 1; i <= run_callbacks::callbacks_max; ++i)
    uut->expect({.high = 1, .low = i}, "http://127.0.0.1/", [](auto&&) {});
  const auto rule = std::make_shared<std::promise<std::string>>();
  uut->expect({.high = 2, .low = 1}, "http://127.0.0.1/",
              [rule](const protocol::result<void>& done) {
                rule->set_value(done ? "" : done.error().rule);
              });
  auto refused = rule->get_future();
  // At once: nothing is put on disk for it.
  REQUIRE(refused.wait_for(0s) == std::future_status::ready);
  CHECK(refused.get() == "callbacks_max");
  CHECK(uut->counts().owed == run_callbacks::callbacks_max);
  uut->stop();
}

TEST_CASE("the diagnostics name who cannot be told by its host alone") {
  const diagnostics said;
  {
    const receiver other{410};
    hosting host;
    const auto uut = telling(host.data() / "callbacks");
    uut->begin(*host);
    const auto run = ended_run(host);
    owe(*uut, run, other.url() + "?key=hush");
    uut->ended(run);
    CHECK(comes([&] { return uut->counts().owed == 0; }));
    uut->stop();
    CHECK(other.calls() == 1);
  }
  CHECK_THAT(said.text(), Contains("http://127.0.0.1:") && Contains("(410)")
                            && !Contains("told?") && !Contains("hush"));
}

TEST_CASE("who is called finds the run, and may answer at length") {
  const diagnostics said;
  std::promise<std::string> told;
  {
    const test_server other{{{.method = "POST",
                              .pattern = "/told",
                              .call = [&](const request& what, responder to) {
                                told.set_value(what.body);
                                to({.body = std::string(100'000, ' ')});
                              }}}};
    hosting host;
    run_callback_options how{.folder = host.data() / "callbacks",
                             .public_url = "https://runs.example"};
    REQUIRE(how.allow.allow("net=127.0.0.1"));
    const auto uut = run_callbacks::open(std::move(how)).value();
    uut->begin(*host);
    const auto run = ended_run(host);
    owe(*uut, run, other->url() + "/told");
    uut->ended(run);
    const auto body = protocol::parse_json(told.get_future().get()).value();
    const auto at = "https://runs.example/v1/runs/" + to_string(run);
    CHECK(body.at("statusUrl").as_string() == at);
    CHECK(body.at("eventsUrl").as_string() == at + "/events");
    CHECK(comes([&] { return uut->counts().owed == 0; }));
    CHECK(uut->counts().delivered == 1);
    uut->stop();
  }
  CHECK_THAT(said.text(), !Contains("cannot be reported"));
}

TEST_CASE("who asks to be called later is not called before") {
  std::mutex mutex;
  std::vector<std::chrono::steady_clock::time_point> calls;
  const test_server other{
    {{.method = "POST",
      .pattern = "/told",
      .call = [&](const request&, responder to) {
        const std::lock_guard held{mutex};
        calls.push_back(std::chrono::steady_clock::now());
        if (calls.size() == 1)
          to({.status = 503, .headers = {{"Retry-After", "1"}}});
        else
          to({});
      }}}};
  hosting host;
  const auto uut = telling(host.data() / "callbacks");
  uut->begin(*host);
  const auto run = ended_run(host);
  owe(*uut, run, other->url() + "/told");
  uut->ended(run);
  CHECK(comes([&] { return uut->counts().owed == 0; }));
  uut->stop();
  const std::lock_guard held{mutex};
  REQUIRE(calls.size() == 2);
  // Late it may be on a slow machine, but never early.
  CHECK(calls[1] - calls[0] >= 1s);
}
