#include "hosted.hpp"

#include <runtime/log/event_log/full_disk.hpp>

#include <algorithm>
#include <thread>

using namespace convene::tests;

namespace {

std::string refused(const run_outcome& made) {
  return made.refusal ? std::string{to_word(made.refusal->code)} : "";
}

/// A turn of a person, as the lifecycle's fixture takes it.
std::string said(const std::string& operation, int index,
                 const std::string& text) {
  return R"({"operation": ")" + operation + R"(", "turn": {"messageId": "m)"
         + std::to_string(index)
         + R"(", "from": "user", "role": "user", "ts": 1,
         "turnIndex": )"
         + std::to_string(index) + R"(, "content": ")" + text + "\"}}";
}

std::string workflow_of(const std::string& type, const std::string& config) {
  return R"({"id": "own", "name": "own", "version": "1", "edges": [],
    "triggers": [], "variables": [], "metadata": {}, "settings": {},
    "nodes": [{"id": "n", "typeId": ")"
         + type + R"(", "name": "n", "position": {"x": 0, "y": 0},
    "config": )"
         + config + R"(, "inputs": {}}]})";
}

} // namespace

TEST_CASE("a run goes to its end by itself") {
  hosting host;
  const auto run = host.start("conformance-multi-node").run_id;
  CHECK(types_of(host.events_at_end(run))
        == std::vector<std::string>{"run.started", "node.started",
                                    "node.completed", "node.started",
                                    "node.completed", "node.started",
                                    "node.completed", "run.completed"});
  CHECK(host.status(run) == "completed");
}

TEST_CASE("a delay ends at its time, and not before") {
  hosting host;
  const auto longer
    = host.start("conformance-delay", {{"delayMs", 3'600'000}}).run_id;
  const auto run = host.start("conformance-delay", {{"delayMs", 50}}).run_id;
  host.events_at_end(run);
  CHECK(host.status(run) == "completed");
  CHECK(host.status(longer) == "running");
}

TEST_CASE("an approval is waited for across a restart, and given once") {
  hosting host;
  const auto run = host.start("conformance-approval").run_id;
  CHECK(host.status(run) == "waiting-approval");
  const auto before = host.events(run);
  host.reopen();
  CHECK(host.status(run) == "waiting-approval");
  CHECK(host.events(run) == before);
  CHECK(refused(host.answer(run, "gate", R"({"action": "perhaps"})"))
        == "validation_error");
  CHECK(refused(host.answer(run, "gate", R"({"action": "accept"})")).empty());
  CHECK(host.status(run) == "completed");
  CHECK_FALSE(
    refused(host.answer(run, "gate", R"({"action": "accept"})")).empty());
}

TEST_CASE("a conversation goes on after a restart where it was") {
  hosting host;
  const auto run
    = host.start("conformance-conversation-capability-negotiation").run_id;
  CHECK(refused(host.answer(run, "convo", said("exchange", 1, "a"))).empty());
  host.reopen();
  const auto again = host.answer(run, "convo", said("exchange", 1, "a"));
  CHECK(again.is_duplicate);
  CHECK(refused(host.answer(run, "convo", said("exchange", 1, "b")))
        == "validation_error");
  CHECK(refused(host.answer(run, "convo", said("close", 2, "c"))).empty());
  CHECK(host.status(run) == "completed");
}

TEST_CASE("a run that ended is there after a restart, with all its events") {
  hosting host;
  const auto run = host.start("conformance-noop").run_id;
  const auto events = host.events_at_end(run);
  const auto snapshot = host.snapshot(run);
  CHECK(host->count() == std::pair<std::size_t, std::size_t>{0, 1});
  host.reopen();
  CHECK(host->count() == std::pair<std::size_t, std::size_t>{0, 1});
  CHECK(host.events(run) == events);
  CHECK(host.snapshot(run) == snapshot);
  CHECK(host.found(run)->record->read(0, 100).is_end);
}

TEST_CASE("a run goes on with the definition that it was made of") {
  hosting host;
  host.add_workflow(workflow_of("core.approvalGate", "{}"));
  const auto run = host.start("own").run_id;
  std::filesystem::remove_all(host.workflows);
  std::filesystem::create_directories(host.workflows);
  host.reopen();
  CHECK(host->workflows().find("own") == nullptr);
  CHECK(refused(host.answer(run, "n", R"({"action": "accept"})")).empty());
  CHECK(host.status(run) == "completed");
}

TEST_CASE("a delay that was over while nothing ran ends at once") {
  hosting host;
  const auto run = host.start("conformance-delay", {{"delayMs", 40}}).run_id;
  host.close();
  std::this_thread::sleep_for(std::chrono::milliseconds{60});
  host.open();
  host.events_at_end(run);
  CHECK(host.status(run) == "completed");
}

TEST_CASE("what a run cannot be started with leaves nothing behind") {
  hosting host;
  const auto* of = host->workflows().find("conformance-configurable-schema");
  REQUIRE(of != nullptr);
  std::promise<run_outcome> made;
  host->create(*of, {.configurable = {{"recursionLimit", "many"}}},
               [&made](run_outcome what) { made.set_value(std::move(what)); });
  const auto what = made.get_future().get();
  CHECK(refused(what) == "validation_error");
  CHECK(host->find(what.run_id) == nullptr);
  CHECK(host->count().first == 0);
}

TEST_CASE("no more runs go on at once than the host may have") {
  hosting host;
  host.runs_max = 2;
  host.reopen();
  host.start("conformance-approval");
  const auto second = host.start("conformance-approval").run_id;
  const auto third = host.start("conformance-approval");
  REQUIRE(third.failure);
  CHECK(third.failure->rule == "runs_max");
  host.feed(second, convene::session::cancel_run{});
  CHECK_FALSE(host.start("conformance-approval").failure);
}

TEST_CASE("a key has so many runs at once, and others have theirs") {
  hosting host;
  host.shares = {.key_max = 2};
  host.reopen();
  const auto first = host.start("conformance-approval", {}, "ann").run_id;
  host.start("conformance-approval", {}, "ann");
  const auto third = host.start("conformance-approval", {}, "ann");
  REQUIRE(third.failure);
  CHECK(third.failure->rule == "key_runs_max");
  CHECK_FALSE(host.start("conformance-approval", {}, "bob").failure);
  host.feed(first, convene::session::cancel_run{});
  CHECK_FALSE(host.start("conformance-approval", {}, "ann").failure);
}

TEST_CASE("a run of a key that has too many bytes takes nothing but its end") {
  hosting host;
  host.shares = {.key_bytes_max = 1'000};
  host.reopen();
  const auto large = host.start("conformance-approval",
                                {{"more", std::string(2'000, 'x')}}, "ann");
  REQUIRE_FALSE(large.failure);
  const auto another = host.start("conformance-approval", {}, "ann");
  REQUIRE(another.failure);
  CHECK(another.failure->rule == "key_runs_bytes_max");
  const auto answer = host.answer(large.run_id, "gate",
                                  R"({"action": "accept"})");
  REQUIRE(answer.failure);
  CHECK(answer.failure->rule == "key_runs_bytes_max");
  CHECK_FALSE(host.feed(large.run_id, convene::session::cancel_run{}).failure);
  CHECK_FALSE(host.start("conformance-approval", {}, "ann").failure);
}

TEST_CASE("an idle host forgets runs that it need not keep") {
  hosting host;
  host.keeping = {.segment_bytes = 16 << 10,
                  .time = std::chrono::milliseconds{80}};
  host.reopen();
  const auto run = host.start("conformance-approval").run_id;
  host.feed(run, convene::session::cancel_run{});
  while (host->find(run) != nullptr)
    std::this_thread::yield();
  CHECK(host->count() == std::pair<std::size_t, std::size_t>{0, 0});
}

TEST_CASE("who sees a run end finds room for another one") {
  hosting host;
  const auto run = host.start("conformance-approval").run_id;
  const auto record = host.found(run)->record;
  std::promise<std::pair<bool, std::size_t>> seen; // has ended, how many go on
  record->when_more(record->shown(), [&] {
    seen.set_value({record->ended(), host->count().first});
  });
  host.answer(run, "gate", R"({"action": "accept"})");
  CHECK(seen.get_future().get() == std::pair<bool, std::size_t>{true, 0});
}

TEST_CASE("no more bytes of runs are kept than the host may have") {
  hosting host;
  host.runs_bytes_max = 1'000;
  host.reopen();
  const auto first = host.start("conformance-approval",
                                {{"more", std::string(2'000, 'x')}});
  CHECK_FALSE(first.failure);
  const auto second = host.start("conformance-approval");
  REQUIRE(second.failure);
  CHECK(second.failure->rule == "runs_bytes_max");
  host.reopen(); // what is on the log counts
  CHECK(host.start("conformance-approval").failure);
  host.feed(first.run_id, convene::session::cancel_run{});
  CHECK_FALSE(host.start("conformance-approval").failure);
}

TEST_CASE("many runs that are due at the start go on at once") {
  hosting host;
  for (int i = 0; i < 40; ++i)
    host.start("conformance-delay", {{"delayMs", 5}});
  host.close();
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  host.open();
  for (int tries = 0; host->count().first != 0; ++tries) {
    REQUIRE(tries < 12'000);
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  CHECK(host->count().second == 40);
}

TEST_CASE("a replay of a run that waits has ended, and does not go on") {
  hosting host;
  run_outcome run;
  run_outcome fork;
  // One that has ended before it is forked has nothing to wait for: more time.
  for (int delay_ms = 20;; delay_ms *= 2) {
    run = host.start("conformance-delay", {{"delayMs", delay_ms}});
    std::promise<run_outcome> made;
    host->fork(host.found(run.run_id),
               {.mode = convene::protocol::fork_mode::replay},
               [&made](run_outcome what) { made.set_value(std::move(what)); });
    fork = made.get_future().get();
    REQUIRE_FALSE(fork.failure);
    // By what the fork has: its source may have gone on since.
    if (types_of(host.events(fork.run_id)).back() != "run.completed")
      break;
  }
  const auto events = host.events(fork.run_id);
  host.events_at_end(run.run_id);
  host.reopen();
  CHECK(types_of(events).back() == "run.cancelled");
  CHECK(host.events(fork.run_id) == events);
  CHECK(host.found(fork.run_id)->record->ended());
}

TEST_CASE("runs that cannot be written are listed as such") {
  hosting host;
  const auto first = host.start("conformance-approval").run_id;
  const auto second = host.start("conformance-approval").run_id;
  const auto broken = [&host] {
    std::vector<std::string> ids;
    for (const auto& row : host->catalog().list(0, 10, {}).rows)
      if (row.is_broken)
        ids.push_back(to_string(row.id));
    return ids;
  };
  CHECK(broken().empty());
  {
    const full_disk full{0};
    CHECK(host.answer(first, "gate", R"({"action": "accept"})").failure);
  }
  CHECK(broken() == std::vector{first});
  // The log is closed by now.
  CHECK(host.answer(second, "gate", R"({"action": "accept"})").failure);
  CHECK(broken() == std::vector{second, first});
}

TEST_CASE("a fork has what its source has taken, also what is not durable "
          "yet") {
  hosting host;
  const auto source = host.found(host.start("conformance-approval").run_id);
  std::promise<run_outcome> made;
  host->feed(source,
             convene::session::resolve_interrupt{
               .node_id = "gate",
               .resume_value = json::object{{"action", "accept"}}},
             {});
  host->fork(source, {.mode = convene::protocol::fork_mode::replay},
             [&made](run_outcome what) { made.set_value(std::move(what)); });
  CHECK(made.get_future().get().status
        == convene::session::run_status::completed);
}

TEST_CASE("a fork that is refused leaves nothing behind") {
  hosting host;
  const auto run = host.start("conformance-noop").run_id;
  host.events_at_end(run);
  std::promise<run_outcome> made;
  host->fork(host.found(run), {.from_seq = 1'000},
             [&made](run_outcome what) { made.set_value(std::move(what)); });
  const auto fork = made.get_future().get();
  REQUIRE(fork.refusal);
  CHECK(fork.refusal->what.rule == "from_seq");
  CHECK(host->find(fork.run_id) == nullptr);
  CHECK(host->count().first == 0);
}

TEST_CASE("a folder of workflows can be that of the data") {
  hosting host;
  host.workflows = host.data();
  std::filesystem::copy_file(std::filesystem::path{CONVENE_SOURCE_DIR}
                               / "examples/workflows/conformance-noop.json",
                             host.data() / "noop.json");
  host.reopen();
  host.reopen();
  CHECK(host->workflows().all().size() == 1);
  CHECK(host->workflows().find("conformance-noop") != nullptr);
  CHECK(host->workflows().refused().empty());
}

TEST_CASE("a run is found by its id as it is written, and by nothing else") {
  hosting host;
  const auto run = host.start("conformance-noop").run_id;
  CHECK(host->find(run) != nullptr);
  for (const auto* other :
       {"", "run", "00000000-0000-4000-8000-000000000000", "../runs"})
    CHECK(host->find(other) == nullptr);
  auto upper = run;
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? char(c - 32) : c;
  });
  if (upper != run)
    CHECK(host->find(upper) == nullptr);
}

TEST_CASE("two answers at once have one winner") {
  hosting host;
  const auto run = host.start("conformance-approval").run_id;
  std::promise<run_outcome> first, second;
  std::thread other{[&] {
    host->feed(host.found(run),
               convene::session::resolve_interrupt{
                 .node_id = "gate",
                 .resume_value = json::object{{"action", "accept"}}},
               [&](run_outcome what) { first.set_value(std::move(what)); });
  }};
  host->feed(host.found(run),
             convene::session::resolve_interrupt{
               .node_id = "gate", .resume_value = {{"action", "reject"}}},
             [&](run_outcome what) { second.set_value(std::move(what)); });
  other.join();
  const auto a = refused(first.get_future().get());
  const auto b = refused(second.get_future().get());
  CHECK(a.empty() != b.empty());
}

TEST_CASE("a node's session is started with its scenario, and its result ends "
          "the node") {
  std::promise<convene::session::start_session> started;
  run_sessions::when_ended end;
  hosting host{{.start = [&](const auto& what, const std::string&,
                             run_sessions::when_ended then) {
    end = std::move(then);
    started.set_value(what);
  }}};
  host.add_workflow(
    workflow_of("convene.session", R"({"scenario": {"task": "agree"}})"));
  const auto run = host.start("own").run_id;
  const auto what = started.get_future().get();
  CHECK(what.scenario == json::object{{"task", "agree"}});
  CHECK(host.status(run) == "running");
  end({.node_id = what.node_id,
       .session_id = what.session_id,
       .outcome = convene::session::session_outcome::completed,
       .result = {{"agreed", true}}});
  host.events_at_end(run);
  CHECK(host.status(run) == "completed");
}

TEST_CASE("a session that nobody waits for is cancelled, and one that runs is "
          "asked for again after a restart") {
  std::vector<std::string> asked;
  std::promise<std::string> first;
  std::promise<std::string> cancelled;
  std::mutex mutex;
  hosting host{
    {.start =
       [&](const auto& what, const auto&, const auto&) {
         const std::lock_guard lock{mutex};
         asked.push_back(what.session_id);
         if (asked.size() == 1)
           first.set_value(what.session_id);
       },
     .cancel = [&](const std::string& id) { cancelled.set_value(id); }}};
  host.add_workflow(workflow_of("convene.session", R"({"scenario": {}})"));
  const auto run = host.start("own").run_id;
  const auto begun = first.get_future().get();
  host.reopen();
  host.feed(run, convene::session::cancel_run{.reason = "enough"});
  const auto id = cancelled.get_future().get();
  CHECK(id == begun);
  const std::lock_guard lock{mutex};
  CHECK(asked == std::vector<std::string>{id, id});
  CHECK(host.status(run) == "cancelled");
}

TEST_CASE("a session whose run ended just before the end of the process is "
          "cancelled at the next start, and no other") {
  std::vector<std::string> begun;
  std::vector<std::string> cancelled;
  bool is_killed = true; // nobody hears of what is cancelled
  std::mutex mutex;
  hosting host{{.start =
                  [&](const auto& what, const auto&, const auto&) {
                    const std::lock_guard lock{mutex};
                    begun.push_back(what.session_id);
                  },
                .cancel =
                  [&](const std::string& id) {
                    const std::lock_guard lock{mutex};
                    if (!is_killed)
                      cancelled.push_back(id);
                  },
                .goes_on = [](const std::string&) { return true; }}};
  host.add_workflow(workflow_of("convene.session", R"({"scenario": {}})"));
  const auto session_of = [&](const std::string& run) {
    const auto started = host.events(run).at(1);
    return std::string{convene::protocol::parse_json(started)
                         .value()
                         .at("payload")
                         .at("sessionId")
                         .as_string()};
  };
  const auto run = host.start("own").run_id;
  const auto other = host.start("own").run_id;
  const auto session = session_of(run);
  CHECK(session != session_of(other));
  host.feed(run, convene::session::cancel_run{.reason = "enough"});
  host.close();
  is_killed = false;
  host.open();
  const std::lock_guard lock{mutex};
  CHECK(cancelled == std::vector{session});
  CHECK(host.status(other) == "running");
}

TEST_CASE("without sessions a node that wants one fails, and says so") {
  hosting host;
  host.add_workflow(workflow_of("convene.session", R"({"scenario": {}})"));
  const auto run = host.start("own").run_id;
  const auto events = host.events_at_end(run);
  CHECK(host.status(run) == "failed");
  CHECK(events.back().find("runs no sessions") != std::string::npos);
}

TEST_CASE("what waits is listed with its time, until it is answered, and of no "
          "replay") {
  hosting host;
  const auto waiting = [&host] {
    return host->catalog().list_waiting(0, 10).rows;
  };
  const auto comes_to = [&waiting](std::size_t rows) {
    for (int i = 0; i < 12'000 && waiting().size() != rows; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return waiting().size() == rows;
  };
  const auto run = host.start("conformance-approval").run_id;
  REQUIRE(comes_to(1));
  REQUIRE(waiting()[0].waiting.size() == 1);
  CHECK(waiting()[0].waiting[0].node_id == "gate");
  CHECK_FALSE(waiting()[0].waiting[0].deadline);
  std::promise<run_outcome> made;
  host->fork(host.found(run), {.mode = convene::protocol::fork_mode::replay},
             [&made](run_outcome what) { made.set_value(std::move(what)); });
  const auto fork = made.get_future().get();
  REQUIRE_FALSE(fork.failure);
  // Behind the fork on the log.
  const auto other = host.start("conformance-approval").run_id;
  REQUIRE(comes_to(2));
  CHECK(to_string(waiting()[0].id) == other);
  CHECK(to_string(waiting()[1].id) == run);
  for (const auto& id : {run, other})
    REQUIRE_FALSE(host.answer(id, "gate", R"({"action": "accept"})").refusal);
  CHECK(comes_to(0));

  host.add_workflow(workflow_of("core.conversationGate",
                                R"({"prompt": "?", "timeoutMs": 3600000})"));
  host.start("own");
  REQUIRE(comes_to(1));
  CHECK(waiting()[0].waiting[0].deadline
        == waiting()[0].started_at + 3'600'000);
}

TEST_CASE("ended runs are forgotten with the first segments of the log, and "
          "those that wait keep theirs") {
  hosting host;
  host.keeping = {.segment_bytes = 4'096, .bytes = 8'192};
  host.reopen();
  std::vector<std::string> ended;
  const auto run_some = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ended.push_back(host.start("conformance-multi-node").run_id);
      host.events_at_end(ended.back());
    }
  };
  run_some(30);
  CHECK(host->find(ended.front()) == nullptr);
  CHECK_FALSE(
    host->catalog().find(*convene::protocol::parse_uuid(ended.front())));
  CHECK(host->catalog().ended() < 20);
  CHECK(host->catalog().list(0, 100, {}).rows.size()
        == host->catalog().ended());
  CHECK(types_of(host.events(ended.back())).size() == 8);
  const auto asked = host.start("conformance-approval").run_id;
  const auto first = ended.size();
  run_some(30);
  CHECK(host->find(ended[first]) != nullptr);
  host.reopen();
  // What is left of a run whose beginning was removed is not shown.
  for (const auto& row : host->catalog().list(0, 1'000, {}).rows)
    CHECK(row.workflow_id.starts_with("conformance-"));
  CHECK(host->find(ended[first]) != nullptr);
  CHECK(host->find(ended.front()) == nullptr);
  host.answer(asked, "gate", R"({"action": "accept"})");
  host.events_at_end(asked);
  run_some(30);
  CHECK(host->find(asked) == nullptr);
}
