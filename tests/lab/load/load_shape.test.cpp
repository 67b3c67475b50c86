#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/load/load_shape.hpp>

using namespace convene::host;
using convene::protocol::mode;

namespace {

std::string refused_modes(std::string_view text) {
  const auto parsed = parse_modes(text);
  return parsed ? "accepted" : parsed.error().rule;
}

} // namespace

TEST_CASE("modes take part as often as they say, evenly spread") {
  const auto shares = parse_modes("round_robin=3,pair");
  REQUIRE(shares);
  CHECK(shares->at(0).mode == mode::round_robin);
  CHECK(shares->at(1).weight == 1);
  CHECK(cycle_of(*shares) == std::vector<std::size_t>{0, 0, 1, 0});
  CHECK(cycle_of(*parse_modes("swarm,pair,broadcast"))
        == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("modes that are none are refused") {
  for (const auto* text : {"", "duel", "pair,", "pair,pair", "pair=0",
                           "pair=101", "pair=-1", "pair=1.5", "pair="})
    CHECK(refused_modes(text) == "mode");
}

TEST_CASE("a time to think is a distribution of a simulated participant") {
  namespace json = boost::json;
  CHECK(parse_think("20ms") == json::value(20.0));
  CHECK(parse_think("uniform:10ms:1s")
        == json::parse(R"({"uniform": {"min": 10.0, "max": 1000.0}})"));
  CHECK(parse_think("lognormal:800ms:6s")
        == json::parse(R"({"lognormal": {"median": 800.0, "p99": 6000.0}})"));
  for (const auto* text : {"", "20", "uniform:10ms", "normal:1ms:2ms",
                           "uniform:2ms:1ms", "lognormal:0ms:1ms"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_think(text));
  }
}

TEST_CASE("participants who contend share a resource") {
  load_shape shape{.participants = 4, .writes = 0.5, .contention = 2};
  const auto made = scenario_of(shape);
  CHECK(made.at("workspace").as_array().size() == 2);
  const auto resource = [&made](const char* who) {
    return made.at("behaviours")
      .at(who)
      .at("writes")
      .at("resources")
      .at(0)
      .at("resource_id");
  };
  CHECK(resource("agent-0") == resource("agent-1"));
  CHECK(resource("agent-1") != resource("agent-2"));
}
