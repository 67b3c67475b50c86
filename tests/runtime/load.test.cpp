#include "sample.hpp"

#include <catch2/catch.hpp>

using namespace convene;
using namespace convene::tests;

TEST_CASE("the log of many sessions at once breaks no rule") {
  const scratch_folder folder;
  const auto path = folder / "log.jsonl";
  convene::runtime rt{{.threads = 4, .log = path}};
  std::vector<session_handle> sessions;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto mode = all_modes[i % std::size(all_modes)];
    if (i % 2 == 0) {
      sessions.push_back(rt.start(two_in(mode)));
      continue;
    }
    auto what = simulated_in(mode, i);
    what.behaviours
      = {{"*",
          {{"type", "simulated"},
           {"latency_ms", {{"uniform", {{"min", 0}, {"max", 20}}}}},
           {"failure", 0.1},
           {"decline", 0.1},
           {"silence", 0.05}}}};
    what.options.turn_timeout_ms = 15;
    sessions.push_back(rt.start(std::move(what)));
  }
  for (const auto& session : sessions)
    CHECK(session.await());
  REQUIRE(rt.flush());
  REQUIRE(rt.close());
  std::size_t seen = 0;
  CHECK(findings_in(path, seen) == "");
  CHECK(seen == 200);
}

TEST_CASE("the log of sessions that were cut short breaks no rule") {
  const scratch_folder folder;
  const auto path = folder / "log.jsonl";
  {
    convene::runtime rt{{.log = path}};
    for (std::uint64_t i = 0; i < 50; ++i) {
      auto what = simulated_in(all_modes[i % std::size(all_modes)], i);
      what.options.rounds = 1'000;
      static_cast<void>(rt.start(std::move(what)));
    }
  }
  std::size_t seen = 0;
  CHECK(findings_in(path, seen) == "");
  CHECK(seen == 50);
}
