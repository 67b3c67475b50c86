#include "sample.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <fstream>
#include <future>
#include <thread>

using namespace convene;
using namespace convene::tests;

namespace {

constexpr auto text = R"({
  "collab": {"title": "t", "purpose": "p", "mode": "round_robin",
             "participants": [
    {"participant_id": "ann", "kind": "agent", "role_id": "r"},
    {"participant_id": "bob", "kind": "agent", "role_id": "r"},
    {"participant_id": "cy", "kind": "human", "role_id": "r"}]},
  "task": "work",
  "session": {"rounds": 1}})";

json::object scenario_with(std::string_view behaviours) {
  auto made = boost::json::parse(text).as_object();
  if (!behaviours.empty())
    made["behaviours"] = boost::json::parse(behaviours);
  return made;
}

participant says_who() {
  return quick_agent({}, {}, [](const turn_request& asked) {
    return reply{.content = "I am " + asked.participant};
  });
}

/// What the participants said, without the task.
std::vector<std::string> said(const result<session_result>& ended) {
  std::vector<std::string> all;
  if (!ended)
    return {to_string(ended.error())};
  for (const auto& message : ended->dialog().messages)
    all.push_back(message.content);
  all.erase(all.begin());
  return all;
}

behaviour_maker repeats() {
  return [](const json::object& settings, const std::string& id) {
    return result<participant>{quick_agent(
      {}, {},
      [id, word = std::string{settings.at("word").as_string()}](
        const turn_request&) { return reply{.content = id + " " + word}; })};
  };
}

} // namespace

TEST_CASE("a scenario file is loaded, and functions bound, in two lines") {
  const scratch_folder folder;
  const auto file = folder.path() / "scenario.json";
  std::ofstream{file} << boost::json::serialize(scenario_with(
    R"({"ann": {"type": "script", "turns": [{"content": "scripted"}]}})"));
  convene::runtime rt;
  const auto session = rt.start(rt.load(file),
                                {.functions = {{"*", says_who()}}});
  CHECK(said(session.await())
        == std::vector<std::string>{"scripted", "I am bob", "I am cy"});
}

TEST_CASE("a scenario that cannot be loaded refuses its session") {
  convene::runtime rt;
  const auto session = rt.start(rt.load("/nowhere/scenario.json"));
  REQUIRE(session.refused());
  CHECK(session.refused()->code == errc::unreadable);
  CHECK_FALSE(session.await());
  CHECK_FALSE(rt.load(json::object{{"task", 1}}));
}

TEST_CASE("under a seed, loaded scenarios get ids that repeat and differ") {
  runtime_options options;
  options.seed = 5;
  convene::runtime one{options};
  convene::runtime two{options};
  const auto id = [](convene::runtime& rt) {
    return rt.load(scenario_with(""))->collab.collab_id;
  };
  const auto first = id(one);
  CHECK(first == id(two));
  CHECK(first != id(one));
}

TEST_CASE("the function under * answers for those that nothing else does") {
  convene::runtime rt;
  auto other = says("my own");
  const auto start = [&](std::string_view behaviours) {
    return rt.start(rt.load(scenario_with(behaviours)),
                    {.functions = {{"*", says_who()},
                                   {"ann", quick_agent({}, {}, other)}}});
  };
  CHECK(said(start("").await())
        == std::vector<std::string>{"my own", "I am bob", "I am cy"});
  // All have a behavior: the function is left out.
  const auto all = start(R"({"*": {"type": "script",
    "turns": [{"content": "scripted"}]}, "cy": {"type": "script",
    "turns": [{"content": "person"}]}})");
  CHECK(said(all.await())
        == std::vector<std::string>{"my own", "scripted", "person"});
  CHECK(
    rt.start(rt.load(scenario_with("")), {.functions = {{"*", participant{}}}})
      .refused()
      .value()
      .rule
    == "participant_unbound");
}

TEST_CASE("a recovered session takes the function under * again") {
  const scratch_folder folder;
  runtime_options options;
  options.log = folder.path() / "events.jsonl";
  const auto queue = *request_queue::make();
  {
    convene::runtime rt{options};
    const auto session
      = rt.start(rt.load(scenario_with("")),
                 {.functions = {{"*", pull_agent({}, {}, queue)}}});
    const auto asked = queue->next();
    REQUIRE(asked);
    rt.halt_all();
    CHECK_FALSE(session.await());
  }
  CHECK(runtime::open(options)
          .value()
          ->recovered()
          .sessions.at(0)
          .await()
          .error()
          .rule
        == "participant_unbound");
  const auto again = runtime::open(options, {.functions = {{"*", says_who()}}});
  REQUIRE(again);
  CHECK(said((*again)->recovered().sessions.at(0).await())
        == std::vector<std::string>{"I am ann", "I am bob", "I am cy"});
}

TEST_CASE("threads of the application answer requests that they pull") {
  convene::runtime rt;
  const auto queue = *request_queue::make();
  const auto session
    = rt.start(rt.load(scenario_with("")),
               {.functions = {{"*", pull_agent({}, {}, queue)}}});
  std::jthread worker{[&] {
    while (const auto asked = queue->next())
      if (asked->participant != "bob")
        asked->live->answer({.content = asked->participant});
  }};
  const auto ended = session.await();
  queue->close();
  worker.join();
  CHECK(queue->is_closed());
  CHECK_FALSE(queue->next_for(std::chrono::milliseconds{0}));
  REQUIRE(ended);
  // Bob's request was dropped without an answer.
  CHECK(said(ended) == std::vector<std::string>{"ann", "cy"});
}

TEST_CASE("a scenario names behaviors of the application, with settings") {
  const scratch_folder folder;
  runtime_options options;
  options.log = folder.path() / "events.jsonl";
  options.behaviours = {{"parrot", repeats()}};
  const auto scenario = scenario_with(R"({
    "ann": {"type": "application", "name": "parrot", "settings": {"word": "a"}},
    "cy": {"type": "script", "turns": [{"content": "person"}]},
    "*": {"type": "application", "name": "parrot", "settings": {"word": "b"}}})");
  const std::vector<std::string> all{"ann a", "bob b", "person"};
  {
    convene::runtime rt{options};
    CHECK(said(rt.start(rt.load(scenario)).await()) == all);
    const auto queue = *request_queue::make();
    const auto halted = rt.start(
      rt.load(scenario), {.functions = {{"cy", pull_agent({}, {}, queue)}}});
    const auto asked = queue->next();
    REQUIRE(asked);
    rt.halt_all();
  }
  // The log has the settings.
  const auto again = runtime::open(options,
                                   {.functions = {{"cy", says_who()}}});
  REQUIRE(again);
  CHECK(said((*again)->recovered().sessions.at(0).await())
        == std::vector<std::string>{"ann a", "bob b", "I am cy"});
}

TEST_CASE("a behavior that the application lacks, refuses or throws") {
  const auto one = scenario_with(R"({"cy": {"type": "echo"},
    "*": {"type": "application", "name": "parrot", "settings": {}}})");
  const auto refused = [&](std::map<std::string, behaviour_maker> makers) {
    runtime_options options;
    options.behaviours = std::move(makers);
    convene::runtime rt{options};
    return rt.start(rt.load(one)).refused().value();
  };
  const auto lacks = refused({});
  CHECK(lacks.rule == "behaviour_unknown");
  CHECK(lacks.pointer == "/behaviours/*");
  CHECK(lacks.value == "parrot");
  CHECK(refused({{"parrot", repeats()}}).rule == "behaviour_threw");
  const auto chosen = refused({{"parrot", [](const auto&, const auto&) {
                                  return result<participant>{protocol::fail(
                                    errc::usage, "no", "my_rule")};
                                }}});
  CHECK(chosen.rule == "my_rule");
  CHECK(chosen.pointer == "/behaviours/*");
}
