#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <thread>

using namespace convene;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

using texts = std::vector<std::string>;

/// A session that says much and is suspended then, if `saved` once it has a
/// snapshot. Nobody answers after so many turns: it cannot end before that.
std::string long_log(const runtime_options& how, int turns,
                     bool saved = false) {
  std::atomic<int> asked{0};
  auto rt = runtime::open(how).value();
  session_setup setup{.task = "count"};
  setup.options.rounds = 1'000'000;
  setup.options.max_turns = 1'000'000;
  setup.options.turn_timeout_ms = 3'000'000;
  for (const auto* name : {"a", "b"})
    setup.participants.push_back(async_agent(
      name, "role", [&asked, turns](const turn_request&, const responder& to) {
        if (const auto number = ++asked; number <= turns)
          to.answer({.content = "number " + std::to_string(number)});
      }));
  const auto session = rt->start(setup);
  const auto file = *host::snapshot_path(how.log, session.id());
  // What makes snapshots has the time that others leave.
  while (asked <= turns || (saved && !fs::exists(file)))
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  rt->suspend_all("enough for now");
  CHECK_FALSE(session.await());
  REQUIRE(rt->close());
  return session.id();
}

recovery_options with_functions() {
  recovery_options with;
  for (const auto* name : {"a", "b"})
    with.functions.emplace(
      name, quick_agent(name, "role", [](const turn_request& asked) -> reply {
        return {.content = "again " + asked.token, .end = true};
      }));
  with.resume_suspended = true;
  return with;
}

host::session_snapshot snapshot_of(const fs::path& log, const std::string& id) {
  auto found = host::read_snapshot(log, id);
  REQUIRE(found);
  REQUIRE(found->has_value());
  return **std::move(found);
}

std::string content_of(const fs::path& file) {
  std::ostringstream all;
  all << std::ifstream{file, std::ios::binary}.rdbuf();
  return all.str();
}

/// Makes the session's snapshot of its log as it is now.
void save_now(const fs::path& log, const std::string& id) {
  auto found = host::replay_session(log, id, std::nullopt);
  REQUIRE(found);
  auto state = found->session.standing->save();
  REQUIRE(state);
  CHECK(host::write_snapshot(log, {.session_id = id,
                                   .events = found->session.events,
                                   .segment = found->segment,
                                   .line = found->line,
                                   .last_digest
                                   = host::hex_digest_of(found->last_event),
                                   .started = found->started,
                                   .state = *std::move(state)}));
}

} // namespace

TEST_CASE("a running session leaves snapshots beside its log, of events that "
          "are on it, and none once it has ended") {
  const scratch_folder folder;
  const runtime_options how{.log = folder / "log.jsonl", .snapshot_events = 50};
  const auto id = long_log(how, 2'000, true);
  const auto saved = snapshot_of(how.log, id);
  CHECK(saved.events >= 50);
  auto again = host::replay_session(how.log, id, saved);
  REQUIRE(again);
  CHECK(again->session.bad_snapshot.empty());
  CHECK_FALSE(again->session.divergence);
  CHECK(again->session.covered == saved.events);
  {
    auto rt = runtime::open(how, with_functions()).value();
    REQUIRE(rt->recovered().sessions.size() == 1);
    CHECK(rt->recovered().sessions[0].await());
    CHECK(rt->close());
  }
  CHECK_FALSE(fs::exists(folder / "log.snapshots"));
  auto whole = host::replay_session(how.log, id, std::nullopt);
  REQUIRE(whole);
  CHECK(whole->session.ended);
  CHECK_FALSE(whole->session.divergence);
}

TEST_CASE("a session goes on from its snapshot as it would from its first "
          "event") {
  const scratch_folder folder;
  const runtime_options how{.log = folder / "log.jsonl", .snapshot_events = 0};
  const auto id = long_log(how, 200);
  save_now(how.log, id);
  const auto saved = snapshot_of(how.log, id);
  // Then the session goes on, without a snapshot, to its end.
  {
    auto rt = runtime::open(how, with_functions()).value();
    CHECK(rt->recovered().sessions.at(0).await());
    CHECK(rt->close());
  }
  auto late = host::replay_session(how.log, id, saved);
  auto whole = host::replay_session(how.log, id, std::nullopt);
  REQUIRE(late);
  REQUIRE(whole);
  CHECK(late->session.ended);
  CHECK(late->session.covered == saved.events);
  CHECK(late->session.events == whole->session.events);
  CHECK_FALSE(late->session.divergence);
}

TEST_CASE("a snapshot that is damaged, ahead of its log or of another one is "
          "not used, and nothing else changes") {
  const scratch_folder folder;
  const runtime_options how{.log = folder / "log.jsonl",
                            .snapshot_events = 1'000'000};
  const auto id = long_log(how, 100);
  save_now(how.log, id);
  const auto good = snapshot_of(how.log, id);
  const auto file = *host::snapshot_path(how.log, id);
  const auto bytes = content_of(file);
  CHECK(host::encode(*host::decode_snapshot(bytes)) == bytes);

  const auto why = [&](const host::session_snapshot& with) {
    auto found = host::replay_session(how.log, id, with);
    REQUIRE(found);
    CHECK(found->session.covered == 0);
    CHECK_FALSE(found->session.divergence);
    return found->session.bad_snapshot;
  };
  auto ahead = good;
  ahead.line += 1'000;
  ahead.events += 1'000;
  CHECK(why(ahead) == "it is ahead of the log");
  auto other = good;
  other.last_digest = host::hex_digest_of("another event");
  CHECK(why(other) == "its last event is not the log's");
  auto started = good;
  started.started = "{}";
  CHECK_FALSE(why(started).empty());
  auto state = good;
  state.state = nullptr;
  CHECK_FALSE(why(state).empty());
  // One that fits and is wrong is found out by what comes after.
  auto wrong = good;
  wrong.state.at("machine").at("event_count") = 1;
  {
    auto rt = runtime::open(how, with_functions()).value();
    CHECK(rt->recovered().sessions.at(0).await());
    CHECK(rt->close());
  }
  CHECK(why(wrong).starts_with("the log continues differently"));

  for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 400) {
    auto flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    CHECK_FALSE(host::decode_snapshot(flipped));
    CHECK_FALSE(host::decode_snapshot(bytes.substr(0, i)));
  }
}

TEST_CASE("a snapshot is gone on from, whichever segments were removed since") {
  const scratch_folder folder;
  runtime_options how{.log = folder / "log",
                      .log_segment_bytes = 4096,
                      .snapshot_events = 1'000'000};
  fs::create_directory(how.log);
  const auto run_others = [&] {
    auto rt = runtime::open(how).value();
    for (int i = 0; i < 4; ++i)
      CHECK(rt->start(two_in(mode::pair)).await());
    REQUIRE(rt->close());
  };
  run_others();
  const auto id = long_log(how, 100);
  save_now(how.log, id);
  const auto saved = snapshot_of(how.log, id);
  // Nobody is there who could go on with it.
  how.log_keep_bytes = 1;
  run_others();
  REQUIRE_FALSE(fs::exists(how.log / "000001.jsonl"));
  const auto again = host::replay_session(how.log, id, saved);
  REQUIRE(again);
  CHECK(again->session.bad_snapshot.empty());
  CHECK(again->session.covered == saved.events);
  CHECK(again->segment == saved.segment);
  CHECK(again->line == saved.line);
}

TEST_CASE("a snapshot that another version made is refused") {
  const host::session_snapshot made{.session_id = "a",
                                    .events = 1,
                                    .segment = 1,
                                    .line = 2,
                                    .last_digest = host::hex_digest_of("{}"),
                                    .started = "{}",
                                    .state = 1};
  const auto good = host::encode(made);
  REQUIRE(host::decode_snapshot(good));
  const std::string now = "{\"snapshot\":5,";
  REQUIRE(good.starts_with(now));
  const auto remade = [&](const std::string& head) {
    auto bytes = head + good.substr(now.size(), good.size() - now.size() - 9);
    std::ostringstream crc;
    crc << std::hex << std::setw(8) << std::setfill('0') << host::crc32c(bytes)
        << '\n';
    return host::decode_snapshot(bytes + crc.str());
  };
  CHECK(remade(now));
  const auto old = remade("{\"snapshot\":1,\"file\":0,");
  REQUIRE_FALSE(old);
  CHECK_THAT(old.error().message, Catch::Contains("another version"));
  CHECK_FALSE(remade("{"));
}

TEST_CASE("a session whose snapshot is of no use is recovered from its whole "
          "log") {
  const scratch_folder folder;
  const runtime_options how{.log = folder / "log.jsonl",
                            .snapshot_events = 1'000'000};
  const auto id = long_log(how, 100);
  save_now(how.log, id);
  auto spoiled = snapshot_of(how.log, id);
  const auto file = *host::snapshot_path(how.log, id);
  const int kind = GENERATE(0, 1, 2, 3);
  if (kind == 0)
    std::ofstream{file, std::ios::binary} << "rubbish";
  if (kind == 1)
    spoiled.last_digest.back() ^= 1;
  if (kind == 2)
    spoiled.events += 1'000;
  if (kind == 3)
    spoiled.state = nullptr;
  if (kind != 0)
    REQUIRE(host::write_snapshot(how.log, spoiled));
  auto rt = runtime::open(how, with_functions()).value();
  REQUIRE(rt->recovered().sessions.size() == 1);
  CHECK(rt->recovered().sessions[0].await());
  CHECK(rt->close());
  auto whole = host::replay_session(how.log, id, std::nullopt);
  REQUIRE(whole);
  CHECK(whole->session.ended);
  CHECK_FALSE(whole->session.divergence);
}

TEST_CASE("a snapshot that was begun when the program was killed goes with its "
          "session's end") {
  const scratch_folder folder;
  const runtime_options how{.log = folder / "log.jsonl",
                            .snapshot_events = 1'000'000};
  const auto id = long_log(how, 20);
  save_now(how.log, id);
  const auto begun = fs::path{*host::snapshot_path(how.log, id)} += ".new";
  std::ofstream{begun} << "{";
  {
    auto rt = runtime::open(how, with_functions()).value();
    CHECK(rt->recovered().sessions.at(0).await());
    CHECK(rt->close());
  }
  CHECK_FALSE(fs::exists(begun.parent_path()));
  // Also if nobody got to it then, or not to the folder.
  fs::create_directory(begun.parent_path());
  CHECK(runtime::open(how).value()->close());
  CHECK_FALSE(fs::exists(begun.parent_path()));
  fs::create_directory(begun.parent_path());
  std::ofstream{begun} << "{";
  CHECK(runtime::open(how).value()->close());
  CHECK_FALSE(fs::exists(begun.parent_path()));
}

TEST_CASE("a session whose actor fails goes on from its snapshot to its end") {
  const scratch_folder folder;
  const runtime_options how{.log = folder / "log.jsonl", .snapshot_events = 40};
  auto rt = runtime::open(how).value();
  session_setup setup{.task = "count"};
  setup.options.rounds = 400;
  setup.options.max_turns = 10'000;
  bool killed = false;
  for (const auto* name : {"a", "b"})
    setup.participants.push_back(
      quick_agent(name, "role", [&](const turn_request& turn) -> reply {
        // Once there is something to go on from.
        const auto file = *host::snapshot_path(how.log, turn.session_id);
        if (!killed && fs::exists(file)) {
          killed = true;
          host::runtime_access::kill(*rt, turn.session_id);
        }
        return {.content = "here"};
      }));
  const auto session = rt->start(setup);
  const auto ended = session.await();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::completed);
  CHECK(rt->close());
  auto whole = host::replay_session(how.log, session.id(), std::nullopt);
  REQUIRE(whole);
  CHECK(whole->session.ended);
  CHECK_FALSE(whole->session.divergence);
}
