#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/server/a2a/push_desk.hpp>
#include <runtime/log/event_log/files.hpp>
#include <server/http/test_server.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace convene::server;
using namespace std::chrono_literals;
namespace json = boost::json;
namespace tests = convene::tests;

namespace {

constexpr auto task_id = "00000000-0000-4000-8000-00000000000a";

bool comes_about(const std::function<bool()>& what) {
  for (int i = 0; i < 12'000 && !what(); ++i)
    std::this_thread::sleep_for(10ms);
  return what();
}

/// A client that is called, and answers as it is told to.
class called_client {
public:
  explicit called_client(std::vector<unsigned> statuses = {})
    : statuses_{std::move(statuses)} {}

  [[nodiscard]] push_config config(std::string id = "one") const {
    return {.id = std::move(id), .url = server_->url() + "/told"};
  }

  [[nodiscard]] std::vector<request> calls() const {
    const std::lock_guard held{mutex_};
    return calls_;
  }

  /// "statusUpdate TASK_STATE_WORKING", for each call.
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const auto& each : calls()) {
      const auto body = json::parse(each.body).as_object();
      const auto& [name, what] = *body.begin();
      all.push_back(std::string{name} + ' '
                    + std::string{what.at("status").at("state").as_string()});
    }
    return all;
  }

private:
  void answer(const request& what, const responder& to) {
    const std::lock_guard held{mutex_};
    calls_.push_back(what);
    const auto number = calls_.size() - 1;
    to({.status = number < statuses_.size() ? statuses_[number] : 200});
  }

  mutable std::mutex mutex_;
  std::vector<request> calls_;
  std::vector<unsigned> statuses_;
  tests::test_server server_{
    {{.method = "POST",
      .pattern = "/told",
      .call = [this](const request& what,
                     const responder& to) { answer(what, to); },
      .errors = error_form::a2a}}};
};

/// A host of sessions that are tasks, and its desk.
class desk_rig {
public:
  explicit desk_rig(std::vector<std::chrono::milliseconds> pauses = {1ms, 1ms},
                    std::string secret = {})
    : pauses_{std::move(pauses)}, secret_{std::move(secret)} {
    open();
  }
  ~desk_rig() {
    close();
  }
  desk_rig(const desk_rig&) = delete;
  desk_rig& operator=(const desk_rig&) = delete;

  void open() {
    push_options how{.folder = folder_ / "push",
                     .secret = secret_,
                     .pauses = pauses_};
    REQUIRE(how.allow.allow("net=127.0.0.1"));
    auto made = push_desk::open(std::move(how));
    REQUIRE(made);
    desk = *std::move(made);
    const auto tasks = std::make_shared<task_index>();
    auto opened = session_host::open(
      {.data = folder_ / "data",
       .watch = [tasks, to = desk](std::string_view id, std::string_view line) {
         tasks->see(id, line);
         to->changed(id);
       }});
    INFO((opened ? "" : to_string(opened.error())));
    REQUIRE(opened);
    host = *std::move(opened);
    desk->begin(*host, tasks);
  }
  void close() {
    desk->stop();
    host.reset();
    desk.reset();
  }

  /// A task in which a person is asked.
  void begin_task() {
    auto scenario = json::parse(R"({"collab": {"title": "T", "purpose": "P",
      "mode": "round_robin", "participants":
      [{"participant_id": "ana", "role_id": "r"}]}, "task": "Decide",
      "behaviours": {"ana": {"type": "human"}}})")
                      .as_object();
    mark(scenario, {.skill = "s", .context_id = "c", .digest = "d"});
    scenario["collab"].as_object()["collab_id"] = task_id;
    std::promise<std::string> made;
    REQUIRE(host->create(std::move(scenario), [&](const auto& done) {
      made.set_value(done ? "" : to_string(done.error()));
    }));
    CHECK(made.get_future().get().empty());
  }

  std::string put(push_config what) {
    std::promise<std::string> kept;
    desk->put(task_id, std::move(what), [&](const auto& done) {
      kept.set_value(done ? "" : done.error().rule);
    });
    return kept.get_future().get();
  }

  void cancel() {
    CHECK(host->tell(task_id, session_host::control::cancel, "enough"));
  }

  [[nodiscard]] bool is_kept() const {
    return exists(folder_ / "push" / (std::string{task_id} + ".json"));
  }

  std::shared_ptr<push_desk> desk;
  std::unique_ptr<session_host> host;

private:
  const tests::scratch_folder folder_;
  const std::vector<std::chrono::milliseconds> pauses_;
  const std::string secret_;
};

const std::string works{"statusUpdate TASK_STATE_WORKING"};
const std::string asks{"statusUpdate TASK_STATE_INPUT_REQUIRED"};
const std::string is_cancelled{"task TASK_STATE_CANCELED"};
/// The question is withdrawn before the session ends.
const std::vector<std::string> all_of_it{works, asks, works, is_cancelled};

} // namespace

TEST_CASE("a client is told of each change of a task, and of its end at last") {
  const called_client other;
  desk_rig uut{{1ms}, "a secret of 16 bytes"};
  auto config = other.config();
  config.scheme = "Bearer";
  config.credentials = "credential";
  config.token = "token";
  CHECK(uut.put(config).empty());
  CHECK(uut.is_kept());
  uut.begin_task();
  REQUIRE(comes_about([&] { return other.told().size() == 2; }));
  uut.cancel();
  REQUIRE(comes_about([&] { return !uut.is_kept(); }));
  CHECK(other.told() == all_of_it);
  CHECK(uut.desk->of(task_id).empty());
  const auto calls = other.calls();
  std::set<std::string> keys;
  for (const auto& each : calls) {
    CHECK(each.header("authorization") == "Bearer credential");
    CHECK(each.header("x-a2a-notification-token") == "token");
    CHECK(each.header("content-type") == "application/a2a+json");
    CHECK(each.header("x-convene-signature").starts_with("sha256="));
    keys.emplace(each.header("idempotency-key"));
  }
  CHECK(keys.size() == all_of_it.size());
  const auto end = json::parse(calls.back().body).at("task");
  CHECK(end.at("id") == task_id);
  CHECK(end.at("artifacts").at(0).at("artifactId") == "answer");
}

TEST_CASE("a client that fails for a while misses nothing") {
  const called_client other{{503, 429, 200, 500, 200, 502}};
  desk_rig uut;
  uut.put(other.config());
  uut.begin_task();
  REQUIRE(comes_about([&] { return other.told().size() == 5; }));
  uut.cancel();
  REQUIRE(comes_about([&] { return !uut.is_kept(); }));
  CHECK(other.told()
        == std::vector{works, works, works, asks, asks, works, works,
                       is_cancelled});
}

TEST_CASE("a client that refuses, or fails too often, is not called again") {
  const auto statuses = GENERATE(std::vector<unsigned>{410},
                                 std::vector<unsigned>{503, 503, 503});
  const called_client other{statuses};
  desk_rig uut;
  uut.put(other.config());
  uut.begin_task();
  REQUIRE(comes_about([&] { return !uut.is_kept(); }));
  CHECK(uut.desk->of(task_id).empty());
  CHECK(other.calls().size() == statuses.size());
}

TEST_CASE("a client is told after a restart of what it was not told before") {
  const called_client other{{200, 503}};
  desk_rig uut{{1h}};
  uut.put(other.config());
  uut.begin_task();
  REQUIRE(comes_about([&] { return other.calls().size() == 2; }));
  uut.close();
  uut.open();
  REQUIRE(comes_about([&] { return other.calls().size() == 3; }));
  uut.cancel();
  REQUIRE(comes_about([&] { return !uut.is_kept(); }));
  CHECK(other.told() == std::vector{works, asks, asks, works, is_cancelled});
}

TEST_CASE("a config with another URL counts at once, whatever became of the "
          "old one") {
  const called_client broken{{503}};
  const called_client repaired;
  desk_rig uut{{1h}};
  uut.put(broken.config());
  uut.begin_task();
  REQUIRE(comes_about([&] { return broken.calls().size() == 1; }));
  uut.put(repaired.config());
  REQUIRE(comes_about([&] { return repaired.told().size() == 2; }));
  uut.cancel();
  REQUIRE(comes_about([&] { return !uut.is_kept(); }));
  CHECK(repaired.told() == all_of_it);
  CHECK(broken.calls().size() == 1);
}

TEST_CASE("clients are told of what follows, and not once they are removed") {
  const called_client first;
  const called_client second;
  desk_rig uut;
  auto late = first.config();
  late.delivered = 1;
  uut.put(late);
  uut.put(second.config("two"));
  CHECK(uut.desk->of(task_id).size() == 2);
  uut.begin_task();
  REQUIRE(comes_about([&] { return second.told().size() == 2; }));
  std::promise<void> removed;
  uut.desk->remove(task_id, "two", [&] { removed.set_value(); });
  removed.get_future().get();
  uut.cancel();
  REQUIRE(comes_about([&] { return !uut.is_kept(); }));
  CHECK(first.told() == std::vector{asks, works, is_cancelled});
  CHECK(second.told() == std::vector{works, asks});
}

TEST_CASE("a task that a kill has kept from its beginning is forgotten") {
  const called_client other;
  desk_rig uut;
  uut.put(other.config());
  uut.close();
  CHECK(uut.is_kept());
  uut.open();
  CHECK(uut.desk->of(task_id).empty());
  CHECK(comes_about([&] { return !uut.is_kept(); }));
}

TEST_CASE("as many are told of a task as may be, and no more") {
  desk_rig uut;
  for (std::size_t i = 0; i < push_book::configs_of_task_max; ++i)
    CHECK(
      uut.put({.id = std::to_string(i), .url = "http://127.0.0.1:1/"}).empty());
  CHECK(uut.put({.id = "0", .url = "http://127.0.0.1:2/"}).empty());
  CHECK(uut.put({.id = "more", .url = "http://127.0.0.1:1/"})
        == "push_configs_max");
  CHECK(uut.desk->of(task_id).size() == push_book::configs_of_task_max);
}

TEST_CASE("push notifications go where the operator allows it alone") {
  const tests::scratch_folder folder;
  push_options how{.folder = folder / "push"};
  {
    const auto none = push_desk::open(how).value();
    CHECK_FALSE(none->is_offered());
  }
  REQUIRE(how.allow.allow("net"));
  const auto uut = push_desk::open(std::move(how)).value();
  CHECK(uut->is_offered());
  CHECK(uut->check("https://a.example/told"));
  // Other private addresses are refused when the connection is made.
  for (const auto* url :
       {"http://127.0.0.1/", "http://[::1]/", "http://localhost/"})
    CHECK(uut->check(url).error().rule == "permission_needed");
  CHECK(uut->check("file:///etc/passwd").error().rule == "scheme_refused");
}

TEST_CASE("a file that does not say who is told is found, and left alone") {
  const tests::scratch_folder folder;
  const auto file = folder / "00000000-0000-4000-8000-000000000001.json";
  const auto write = [&](const std::string& text) {
    std::ofstream{file} << text;
  };
  write(R"({"configs": [{"id": "one", "url": "http://127.0.0.1/"}]})");
  CHECK(check_push(file));
  for (const auto* text : {"{", "[]", "{}", R"({"configs": []})"}) {
    CAPTURE(text);
    write(text);
    CHECK_FALSE(check_push(file));
    REQUIRE(push_desk::open({.folder = folder.path()}));
    CHECK(std::filesystem::exists(file));
  }
  const auto other = folder / "notes.json";
  std::ofstream{other} << R"({"configs": [{"id": "one"}]})";
  CHECK_FALSE(check_push(other));
}
