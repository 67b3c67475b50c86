#include <catch2/catch.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

const policy_finder solos = [](std::string_view) { return &solo; };

protocol::reply because(std::vector<std::string> reasons) {
  auto made = says("ok");
  made.reasoning = std::move(reasons);
  return made;
}

} // namespace

TEST_CASE("the reasons of a reply are an event of their own") {
  auto what = make_spec(protocol::mode::round_robin, {"a"});
  what.options.rounds = 2;
  auto bench = rig::started(what, solo);
  const auto token = to_string(bench.last().token);
  const auto made = bench.answer("a", because({"it is late", "it is good"}));
  REQUIRE(made.size() >= 2);
  CHECK(made[0].type == "MAPTurnCompleted");
  CHECK(made[1].type == "coordination_reasoning");
  CHECK(made[1].whole.at("event_family") == "reasoning_graph");
  CHECK(made[1].at("token_id") == token);
  CHECK(made[1].at("turn_number") == "1");
  CHECK(made[1].at("reasoning") == R"(["it is late","it is good"])");
  bench.answer("a");
  CHECK(bench.all("coordination_reasoning").size() == 1);
  CHECK(broken_laws(bench.lines, true) == texts{});
  CHECK_FALSE(replay(bench.lines, solos));
}

TEST_CASE("reasons that no reply gave, or that are missing, are found out") {
  auto bench = rig::started(make_spec(protocol::mode::round_robin, {"a"}),
                            solo);
  const auto place = bench.lines.size() + 1;
  bench.answer("a", because({"it is late"}));
  REQUIRE(broken_laws(bench.lines, true) == texts{});
  const auto breaks = [](const std::vector<std::string>& lines) {
    return std::ranges::any_of(broken_laws(lines, true), [](const auto& one) {
      return one.find("reasoning_matches_reply") != std::string::npos;
    });
  };
  auto other = bench.lines;
  auto& reasons = other[place];
  reasons.replace(reasons.find("it is late"), 10, "it is over");
  CHECK(breaks(other));
  auto missing = bench.lines;
  missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(place));
  CHECK(breaks(missing));
  auto twice = bench.lines;
  twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(place),
               twice[place]);
  CHECK(breaks(twice));
}
