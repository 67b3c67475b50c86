// What happens where the system gives too little. Under a sanitizer a program
// takes far more, so there these limits say nothing.

#include "run_fixture.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// A run under limits of the shell, as `ulimit` takes them.
finished run_limited(const run_fixture& at, const std::string& limit,
                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"run", at.scenario, "--quiet", "--out", at.out};
  all.insert(all.end(), more.begin(), more.end());
  return run_shell("ulimit " + limit + " && exec \"$0\" \"$@\"", all);
}

} // namespace

TEST_CASE("a run that cannot have its threads says so, and leaves nothing") {
  const run_fixture at{answers};
  const auto refused = run_limited(at, "-v 1500000", {"--threads", "400"});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("threads") && Contains("ulimit"));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("a run that has too little memory for its threads ends as an error") {
  const run_fixture at{answers};
  // Some limits are too low for the program to be loaded at all.
  const auto limit = GENERATE(100'000, 150'000, 200'000, 300'000);
  const auto ended = run_limited(at, "-v " + std::to_string(limit),
                                 {"--threads", "16"});
  CAPTURE(limit, ended.err);
  CHECK((ended.code == 0 || ended.code == 3 || ended.code == 127));
  CHECK(fs::exists(at.out) == (ended.code == 0));
}

TEST_CASE("ten thousand steps with random dependencies run in their order, in "
          "bounded memory") {
  constexpr std::size_t many = 10'000;
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::minstd_rand draw{seed};
  const auto id = [](std::size_t step) {
    auto digits = std::to_string(step);
    return "550e8400-e29b-41d4-a716-44665" + std::string(7 - digits.size(), '0')
           + digits;
  };
  std::vector<std::vector<std::size_t>> waits(many);
  std::vector<std::string> steps;
  for (std::size_t step = 0; step < many; ++step) {
    std::set<std::size_t> found;
    for (auto n = step == 0 ? 0 : draw() % 4; n > 0; --n)
      found.insert(draw() % step);
    waits[step].assign(found.begin(), found.end());
    std::string list;
    for (const auto each : found)
      list += (list.empty() ? "\"" : ", \"") + id(each) + '"';
    steps.push_back(R"({"step_id": ")" + id(step)
                    + R"(", "description": "do it", "dependencies": [)" + list
                    + "]}");
  }
  std::shuffle(steps.begin(), steps.end(), draw);
  std::string plan;
  for (const auto& step : steps)
    plan += (plan.empty() ? "" : ",") + step;
  const run_fixture at{R"({"context": {"title": "T"}, "plan": {"title": "T",
                           "steps": [)"
                       + plan + "]}}"};
  const auto done = run_limited(at, "-v 1500000",
                                {"--profile", "sa", "--seed", "1"});
  CHECK(done.err == "");
  REQUIRE(done.code == 0);
  std::map<std::string, std::size_t> began, ended;
  std::istringstream lines{read_bytes(at.out + "/events.jsonl")};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    const auto starts = line.find(R"("SAStepStarted")") != line.npos;
    if (!starts && line.find(R"("SAStepCompleted")") == line.npos)
      continue;
    const std::string_view member = R"("step_id":")";
    const auto place = line.find(member) + member.size();
    (starts ? began : ended).emplace(line.substr(place, id(0).size()), number);
  }
  REQUIRE(began.size() == many);
  REQUIRE(ended.size() == many);
  for (std::size_t step = 0; step < many; ++step)
    for (const auto before : waits[step])
      if (ended.at(id(before)) > began.at(id(step)))
        FAIL(step << " began before " << before << " had been completed");
}

TEST_CASE("a limit for the stack that is too low is raised, or is an error") {
  const run_fixture at{answers};
  const auto limit = GENERATE("-s 64", "-S -s 64", "-s 512", "-s 1024");
  const auto ended = run_limited(at, limit);
  CAPTURE(limit, ended.err);
  CHECK((ended.code == 0 || ended.code == 3));
  if (ended.code == 3)
    CHECK_THAT(ended.err, Contains("ulimit -s"));
  CHECK(fs::exists(at.out) == (ended.code == 0));
}

#endif
