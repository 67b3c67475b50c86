#include "log_texts.hpp"
#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>

#include <atomic>
#include <fstream>
#include <future>
#include <sstream>

using namespace convene;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

runtime_options seeded(const fs::path& log) {
  return {.log = log, .seed = 11};
}

/// The log of a whole session.
texts whole_log(const fs::path& log, session::spec scenario) {
  auto rt = runtime::open(seeded(log)).value();
  CHECK(rt->start(std::move(scenario)).await());
  REQUIRE(rt->close());
  return events_of(log);
}

std::unique_ptr<runtime> reopen(const runtime_options& how,
                                const recovery_options& with = {}) {
  auto opened = runtime::open(how, with);
  if (!opened)
    FAIL(to_string(opened.error()));
  return *std::move(opened);
}

/// A session that is open until somebody ends it, however slow the machine is:
/// nobody answers.
session::spec waiting_session() {
  auto made = simulated_in(mode::round_robin, 1);
  made.behaviours = {{"*", {{"type", "simulated"}, {"silence", 1}}}};
  made.options.turn_timeout_ms = 3'000'000;
  return made;
}

std::string text_in(const std::string& line, const std::string& name) {
  const auto at = line.find('"' + name + "\":\"");
  if (at == line.npos)
    return {};
  const auto from = at + name.size() + 4;
  return line.substr(from, line.find('"', from) - from);
}

std::size_t count_of(const texts& events, const std::string& type) {
  return static_cast<std::size_t>(
    std::ranges::count_if(events, [&](const auto& line) {
      return text_in(line, "event_type") == type;
    }));
}

} // namespace

TEST_CASE("a session that goes on from any place of its log ends as it would "
          "have, byte for byte") {
  for (const auto how : all_modes)
    for (std::uint64_t number = 1; number <= 3; ++number) {
      const scratch_folder folder;
      const auto expected = whole_log(folder / "whole.jsonl",
                                      simulated_in(how, number));
      for (std::size_t count = 1; count < expected.size(); ++count) {
        if (!is_between_inputs(expected, count))
          continue;
        INFO(protocol::to_word(how)
             << ' ' << number << ", " << count << " events");
        const auto log = folder / (std::to_string(count) + ".jsonl");
        write_log(log, {expected.begin(),
                        expected.begin() + static_cast<std::ptrdiff_t>(count)});
        auto rt = reopen(seeded(log));
        REQUIRE(rt->recovered().sessions.size() == 1);
        CHECK(rt->recovered().sessions[0].await());
        REQUIRE(rt->close());
        CHECK(events_of(log) == expected);
      }
    }
}

TEST_CASE("a function that is bound again gets its request under the same "
          "token, and one that is missing is named") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  std::string first_token;
  {
    auto rt = runtime::open(seeded(log)).value();
    session_setup setup{.participants = {quick_agent("a", "role-a", {})},
                        .task = "work"};
    setup.participants[0].respond = [&](const turn_request& asked) -> reply {
      first_token = asked.token;
      return {.content = "done"};
    };
    CHECK(rt->start(setup).await());
    REQUIRE(rt->close());
  }
  auto events = events_of(log);
  // Started, roles, the graph, the turn: nobody has answered.
  events.resize(4);
  const auto cut = folder / "cut.jsonl";
  write_log(cut, events);
  {
    auto rt = reopen(seeded(cut));
    REQUIRE(rt->recovered().sessions.size() == 1);
    const auto ended = rt->recovered().sessions[0].await();
    REQUIRE_FALSE(ended);
    CHECK(ended.error().rule == "participant_unbound");
    CHECK(ended.error().pointer == "/behaviours/a/type");
    REQUIRE(rt->close());
  }
  CHECK(events_of(cut) == events);
  std::string second_token;
  std::uint32_t turn = 0;
  const recovery_options with{
    .functions
    = {{"a", quick_agent("a", "", [&](const turn_request& asked) -> reply {
          second_token = asked.token;
          turn = asked.turn;
          return {.content = "done"};
        })}}};
  auto rt = reopen(seeded(cut), with);
  REQUIRE(rt->recovered().sessions[0].await());
  CHECK(second_token == first_token);
  CHECK(turn == 1);
  REQUIRE(rt->close());
  CHECK(events_of(cut) == events_of(log));
}

TEST_CASE("a session whose deadlines passed while nothing ran was suspended at "
          "its last event, and nobody is late") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  auto scenario = simulated_in(mode::round_robin, 1);
  scenario.behaviours = {{"*", {{"type", "echo"}}}};
  scenario.options.max_duration_ms = 60'000;
  auto events = whole_log(folder / "whole.jsonl", scenario);
  const auto turns = count_of(events, "MAPTurnDispatched");
  events.resize(4);
  write_log(log, events);
  auto how = seeded(log);
  how.virtual_start += 7'200'000;
  texts appended;
  auto rt = reopen(how, {.observe = [&](const std::string&) {
                     return [&](std::string_view, std::string_view lines) {
                       appended.emplace_back(lines);
                     };
                   }});
  const auto ended = rt->recovered().sessions[0].await();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::completed);
  REQUIRE(rt->close());
  // A process that dies in between would leave it suspended for good.
  const auto suspended = std::ranges::find_if(appended, [](const auto& lines) {
    return lines.find(R"("input":"suspend")") != std::string::npos;
  });
  REQUIRE(suspended != appended.end());
  CHECK(suspended->find(R"("input":"resume")") != std::string::npos);
  const auto after = events_of(log);
  CHECK(text_in(after[4], "timestamp") == text_in(after[3], "timestamp"));
  CHECK(after[4].find(R"("reason":"process_ended")") != std::string::npos);
  CHECK(std::ranges::none_of(after, [](const std::string& event) {
    return text_in(event, "status") == "timed_out";
  }));
  // Whoever was asked when it ended is asked anew.
  CHECK(count_of(after, "MAPTurnDispatched") == turns + 1);
  std::size_t sessions = 0;
  CHECK(findings_in(log, sessions) == "");
}

TEST_CASE("a session whose log is not what its machine makes is refused by "
          "name, and the others go on") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  auto bad = whole_log(folder / "a.jsonl", simulated_in(mode::pair, 1));
  auto good = whole_log(folder / "b.jsonl", simulated_in(mode::pair, 2));
  bad.resize(4);
  good.resize(4);
  const auto id = text_in(bad[0], "session_id");
  bad[3].replace(bad[3].find("role-"), 5, "rule-");
  auto both = bad;
  both.insert(both.end(), good.begin(), good.end());
  write_log(log, both);
  auto rt = reopen(seeded(log));
  const auto& found = rt->recovered();
  REQUIRE(found.sessions.size() == 2);
  CHECK(found.sessions[0].id() == id);
  const auto refused = found.sessions[0].await();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "replay_diverged");
  CHECK(refused.error().line == 6);
  CHECK(found.sessions[1].await());
  REQUIRE(rt->close());
  CHECK(events_of(log).size() > both.size());
}

TEST_CASE("a session that another version began is refused with its name") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  auto old = whole_log(folder / "a.jsonl", simulated_in(mode::pair, 1));
  old.resize(4);
  const auto begin = old[0].find(R"("rules":)");
  old[0].erase(begin, old[0].find(R"("spec":)") - begin);
  write_log(log, old);
  auto rt = reopen(seeded(log));
  REQUIRE(rt->recovered().sessions.size() == 1);
  const auto refused = rt->recovered().sessions[0].await();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "rules_unsupported");
  CHECK(refused.error().code == protocol::errc::unsupported);
  CHECK(refused.error().message.find("0.1.0") != std::string::npos);
  REQUIRE(rt->close());
  CHECK(events_of(log) == old);
}

TEST_CASE("suspending all leaves sessions that can be gone on with") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  std::string id;
  {
    auto rt = runtime::open({.log = log}).value();
    const auto session = rt->start(waiting_session());
    id = session.id();
    rt->suspend_all("a break");
    const auto left = session.await();
    REQUIRE_FALSE(left);
    CHECK(left.error().rule == "session_suspended");
    const auto so_far = session.left();
    REQUIRE(so_far);
    CHECK(so_far->status == collab_status::suspended);
    CHECK(so_far->collab.status == collab_status::suspended);
    CHECK(so_far->dialog().status == protocol::dialog_status::paused);
    CHECK_FALSE(so_far->dialog().ended_at);
    const auto late = rt->start(simulated_in(mode::pair, 2)).await();
    REQUIRE_FALSE(late);
    CHECK(late.error().rule == "runtime_closing");
    REQUIRE(rt->close());
  }
  const auto events = events_of(log);
  const auto turn = events.at(events.size() - 2);
  CHECK(text_in(turn, "status") == "cancelled");
  CHECK(text_in(events.back(), "event_type") == "session_recorded");
  CHECK(count_of(events, "MAPSessionCompleted") == 0);
  SECTION("they stay suspended") {
    auto rt = reopen({.log = log});
    REQUIRE(rt->recovered().sessions.size() == 1);
    CHECK(rt->recovered().sessions[0].id() == id);
    rt->suspend_all("again");
    REQUIRE(rt->close());
    CHECK(events_of(log) == events);
  }
  SECTION("or are resumed") {
    auto rt = reopen({.log = log}, {.resume_suspended = true});
    rt->recovered().sessions[0].cancel("enough");
    const auto ended = rt->recovered().sessions[0].await();
    REQUIRE(ended);
    CHECK(ended->stop_reason.condition == "cancelled");
    REQUIRE(rt->close());
    std::size_t sessions = 0;
    CHECK(findings_in(log, sessions) == "");
  }
}

TEST_CASE("halting all leaves no trace on the log, and open requests are asked "
          "again under their tokens") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  std::promise<std::string> first;
  std::promise<std::string> second;
  std::vector<responder> unanswered;
  const auto asks = [&unanswered](std::promise<std::string>& to) {
    return async_agent("a", "role-a",
                       [&](const turn_request& asked, const responder& open) {
                         unanswered.push_back(open);
                         to.set_value(asked.token);
                       });
  };
  texts events;
  std::string token;
  {
    auto rt = reopen({.log = log});
    const auto session = rt->start({.participants = {asks(first)},
                                    .task = "work",
                                    .options = {.turn_timeout_ms = 3'000'000}});
    token = first.get_future().get();
    REQUIRE(rt->flush());
    events = events_of(log);
    rt->halt_all();
    const auto ended = session.await();
    REQUIRE_FALSE(ended);
    CHECK(ended.error().rule == "session_suspended");
    CHECK(session.left() == nullptr);
    const auto late = rt->start(two_in(mode::pair)).await();
    REQUIRE_FALSE(late);
    CHECK(late.error().rule == "runtime_closing");
    REQUIRE(rt->close());
  }
  CHECK(events_of(log) == events);
  auto rt = reopen({.log = log}, {.functions = {{"a", asks(second)}}});
  CHECK(second.get_future().get() == token);
}

TEST_CASE("a subscription that is made with the runtime misses nothing of the "
          "sessions that go on") {
  const scratch_folder folder;
  const auto whole = whole_log(folder / "whole.jsonl",
                               simulated_in(mode::pair, 1));
  for (std::size_t count = 4; count < whole.size(); ++count) {
    if (!is_between_inputs(whole, count))
      continue;
    const auto log = folder / (std::to_string(count) + ".jsonl");
    write_log(log, {whole.begin(),
                    whole.begin() + static_cast<std::ptrdiff_t>(count)});
    auto rt = reopen(seeded(log), {.subscribe = subscription_options{}});
    CHECK(rt->recovered().events == count);
    const auto to = rt->recovered().subscribed.value();
    CHECK(rt->recovered().sessions[0].await());
    REQUIRE(rt->close());
    auto seen = events_of(log);
    seen.resize(count);
    while (const auto next = to.next())
      seen.push_back(*std::get<event_delivered>(*next).line);
    CHECK(seen == events_of(log));
  }
}

TEST_CASE("an observer is shown what the log has, then what comes") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  auto events = whole_log(folder / "whole.jsonl", simulated_in(mode::swarm, 4));
  const auto expected = events;
  events.resize(1);
  while (!is_between_inputs(expected, events.size()))
    events.push_back(expected[events.size()]);
  write_log(log, events);
  std::string seen;
  const recovery_options with{.observe = [&](const std::string&) {
    return [&](std::string_view, std::string_view lines) { seen += lines; };
  }};
  auto rt = reopen(seeded(log), with);
  CHECK(rt->recovered().sessions[0].await());
  REQUIRE(rt->close());
  std::string all;
  for (const auto& line : expected)
    all += line + '\n';
  CHECK(seen == all);
}

TEST_CASE("each of many observers is shown its session's log, and one that "
          "throws is an error") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  constexpr std::size_t sessions = 40;
  {
    auto rt = runtime::open({.log = log}).value();
    auto scenario = waiting_session();
    std::vector<session_handle> all;
    for (std::uint64_t i = 0; i < sessions; ++i) {
      scenario.collab.collab_id
        = to_string(protocol::derive_uuid({1, 2}, 3, i));
      all.push_back(rt->start(scenario));
    }
    rt->suspend_all("a break");
    for (const auto& session : all)
      REQUIRE_FALSE(session.await());
    REQUIRE(rt->close());
  }
  const auto events = events_of(log);
  std::map<std::string, std::string> expected;
  for (const auto& line : events)
    expected[text_in(line, "session_id")] += line + '\n';
  REQUIRE(expected.size() == sessions);
  std::map<std::string, std::string> seen;
  recovery_options with{.observe = [&](const std::string& id) {
    return [&text = seen[id]](std::string_view, std::string_view lines) {
      text += lines;
    };
  }};
  {
    auto rt = reopen({.log = log}, with);
    CHECK(rt->recovered().sessions.size() == sessions);
    CHECK(seen == expected);
    rt->suspend_all("again");
    REQUIRE(rt->close());
  }
  with.observe = [](const std::string&) -> observer { throw 42; };
  const auto asked = runtime::open({.log = log}, with);
  REQUIRE_FALSE(asked);
  CHECK(asked.error().code == protocol::errc::internal);
  with.observe = [](const std::string&) {
    return [](std::string_view, std::string_view) { throw 42; };
  };
  const auto shown = runtime::open({.log = log}, with);
  REQUIRE_FALSE(shown);
  CHECK(shown.error().message.find("an observer threw") == 0);
}

TEST_CASE("sessions that have ended are told of where they are wanted") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  const auto events = whole_log(log, simulated_in(mode::pair, 1));
  CHECK(reopen(seeded(log))->recovered().sessions.empty());
  auto rt = reopen(seeded(log),
                   {.wants_ended = [](const std::string&) { return true; }});
  REQUIRE(rt->recovered().sessions.size() == 1);
  const auto ended = rt->recovered().sessions[0].await();
  REQUIRE(ended);
  CHECK(ended->turns == count_of(events, "MAPTurnDispatched"));
  const auto state = rt->recovered().sessions[0].state();
  CHECK(state.ended);
  CHECK(state.status == ended->status);
  CHECK(state.turns == ended->turns);
  CHECK(state.last_at > 0);
  CHECK(rt->recovered().on_log.size() == 1);
  CHECK(rt->recovered().events == events.size());
  // A new one draws another key, although the seed is the same.
  const auto next = rt->start(simulated_in(mode::pair, 2));
  CHECK(next.await());
  REQUIRE(rt->close());
  const auto after = events_of(log);
  CHECK(text_in(after[0], "session_key")
        != text_in(after[events.size()], "session_key"));
}

TEST_CASE("ten thousand sessions go on at once") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  constexpr std::size_t many = 10'000;
  {
    auto rt = runtime::open({.log = log}).value();
    auto scenario = waiting_session();
    std::vector<session_handle> all;
    for (std::size_t i = 0; i < many; ++i) {
      scenario.collab.collab_id
        = to_string(protocol::derive_uuid({1, 2}, 0, i));
      all.push_back(rt->start(scenario));
    }
    rt->suspend_all("a break");
    std::size_t suspended = 0;
    for (const auto& one : all)
      if (const auto left = one.await(); !left)
        suspended += left.error().rule == "session_suspended" ? 1 : 0;
    CHECK(suspended == many);
    REQUIRE(rt->close());
  }
  auto rt = reopen({.log = log}, {.resume_suspended = true});
  REQUIRE(rt->recovered().sessions.size() == many);
  for (const auto& one : rt->recovered().sessions)
    one.cancel("enough");
  std::size_t ended = 0;
  for (const auto& one : rt->recovered().sessions)
    ended += one.await() ? 1 : 0;
  CHECK(ended == many);
  REQUIRE(rt->close());
  std::size_t sessions = 0;
  CHECK(findings_in(log, sessions) == "");
  CHECK(sessions == many);
}

TEST_CASE("a session whose actor fails is started again from its log, and "
          "ends as it would have") {
  const scratch_folder folder;
  texts asked;
  std::unique_ptr<runtime> rt;
  const auto run_one = [&](const std::string& log, bool kills) {
    asked.clear();
    rt = runtime::open(seeded(folder / log)).value();
    session_setup setup{.participants = {quick_agent("a", "role-a", {}),
                                         quick_agent("b", "role-b", {})},
                        .task = "work",
                        .options = {.rounds = 3}};
    for (auto& one : setup.participants)
      one.respond = [&asked, &rt, kills](const turn_request& turn) -> reply {
        asked.push_back(turn.token);
        if (kills && asked.size() == 3)
          host::runtime_access::kill(*rt, turn.session_id);
        return {.content = "done " + std::to_string(turn.turn)};
      };
    const auto ended = rt->start(setup).await();
    REQUIRE(ended);
    CHECK(ended->status == collab_status::completed);
    REQUIRE(rt->close());
    return events_of(folder / log);
  };
  const auto expected = run_one("whole.jsonl", false);
  CHECK(asked.size() == 6);
  CHECK(run_one("killed.jsonl", true) == expected);
  // The one whose answer was lost was asked again, under the same token.
  REQUIRE(asked.size() == 7);
  CHECK(asked[3] == asked[2]);
}

TEST_CASE("a session that fails again and again ends as a fault, on its log") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  auto rt = runtime::open(seeded(log)).value();
  session_setup setup{.participants = {quick_agent("a", "role-a", {})},
                      .task = "work"};
  setup.participants[0].respond = [&](const turn_request& turn) -> reply {
    host::runtime_access::kill(*rt, turn.session_id);
    return {};
  };
  const auto ended = rt->start(setup).await();
  REQUIRE(ended);
  CHECK(ended->stop_reason.condition == "fault");
  CHECK(ended->status == collab_status::cancelled);
  REQUIRE(rt->close());
  std::size_t sessions = 0;
  CHECK(findings_in(log, sessions) == "");
  CHECK(count_of(events_of(log), "MAPSessionCompleted") == 1);
}

TEST_CASE("who was lost when the program ended is back when its session goes "
          "on") {
  const scratch_folder folder;
  const auto log = folder / "log.jsonl";
  std::string back;
  const auto bound = [&](std::string id) {
    return quick_agent(id, "role-" + id,
                       [&back, id](const turn_request&) -> reply {
                         back += id;
                         return {.content = "here"};
                       });
  };
  session_setup setup{.participants = {bound("a"), bound("b")}, .task = "work"};
  setup.options.rounds = 2;
  protocol::uuid_source ids{1};
  const auto now = seeded(log).virtual_start;
  auto machine = session::machine::activate(make_spec(setup, ids, now),
                                            *modes::find("round_robin"),
                                            ids.next())
                   .value();
  session::effects out;
  machine->feed({now, session::start{}}, out);
  machine->feed({now, session::participant_down{1, "its actor died"}}, out);
  texts events;
  std::istringstream lines{std::string{out.events.view()}};
  for (std::string line; std::getline(lines, line);)
    events.push_back(line);
  write_log(log, events);
  auto rt = reopen(seeded(log),
                   {.functions = {{"a", bound("a")}, {"b", bound("b")}}});
  REQUIRE(rt->recovered().sessions.size() == 1);
  CHECK(rt->recovered().sessions[0].await());
  REQUIRE(rt->close());
  CHECK(back == "abab");
  std::size_t sessions = 0;
  CHECK(findings_in(log, sessions) == "");
}

TEST_CASE("a log without the end of a session that is known to have ended is "
          "refused, unless that is accepted") {
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  std::string id;
  {
    runtime made{seeded(log)};
    const auto session = made.start(two_in(mode::round_robin));
    REQUIRE(session.await());
    id = session.id();
  }
  recovery_options with{.known_ended = {id}};
  CHECK(runtime::open(seeded(log), with));
  const auto whole = events_of(log);
  write_log(log, {whole.begin(), whole.end() - 1});
  const auto before = read_bytes(log);
  const auto refused = runtime::open(seeded(log), with);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "session_end_missing");
  CHECK(refused.error().message.find(id) != std::string::npos);
  CHECK(read_bytes(log) == before);
  // Nor is another one begun in its place.
  fs::remove(log);
  CHECK_FALSE(runtime::open(seeded(log), with));
  CHECK_FALSE(fs::exists(log));
  with.accept_loss = true;
  CHECK(runtime::open(seeded(log), with));
}
