#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/cli/commands/load/load_answer.hpp>

#include <string>
#include <vector>

using namespace convene::cli;
namespace json = boost::json;

namespace {

struct stage {
  double level;
  double rate;
  std::string p99; ///< in milliseconds
};

json::object summary_of(const std::vector<stage>& stages,
                        const std::string& assertion = "",
                        const std::string& unit = "sessions/s") {
  json::array all;
  for (const auto& [level, rate, p99] : stages)
    all.push_back(json::object{
      {"seconds", 10},
      {"level", level},
      {"unit", unit},
      {"sessions_a_second", rate},
      {"turns_a_second", rate * 2},
      {"session", json::parse(R"({"p99_ms":)" + p99 + R"(,"p90_ms":1})")},
      {"turn", json::object{{"p99_ms", 1}}}});
  json::array assertions;
  if (!assertion.empty())
    assertions.push_back(json::object{{"text", assertion}});
  return {{"stages", all},
          {"assertions", assertions},
          {"rates", {{"sessions_a_second", 7}, {"turns_a_second", 14}}},
          {"latency", {{"session", {{"p99_ms", 33}}}}}};
}

std::string answer(const json::object& summary) {
  const auto made = load_answer(summary);
  return made ? made->text : "";
}

report_tone tone(const json::object& summary) {
  return load_answer(summary)->tone;
}

} // namespace

TEST_CASE("a load's answer says up to which level the p99 kept its limit") {
  const auto some = summary_of(
    {{60, 60, "10"}, {180, 179, "40.25"}, {240, 238, "51"}}, "p99<50ms");
  CHECK(answer(some)
        == "p99 stayed under 50 ms up to 180 sessions/s; it was 51 ms at 240 "
           "sessions/s; throughput grew up to 238 sessions/s.");
  CHECK(tone(some) == report_tone::neutral);
  const auto all = summary_of({{60, 60, "10"}, {180, 179, "40.25"}},
                              "session.p99<50ms");
  CHECK(answer(all)
        == "p99 stayed under 50 ms up to 180 sessions/s: it was 40.2 ms; "
           "throughput grew up to 179 sessions/s.");
  CHECK(tone(all) == report_tone::good);
  const auto none = summary_of({{60, 60, "50"}, {180, 179, "10"}}, "p99<50ms");
  CHECK(answer(none)
        == "p99 did not stay under 50 ms: it was 50 ms at 60 sessions/s; "
           "throughput grew up to 179 sessions/s.");
  CHECK(tone(none) == report_tone::bad);
}

TEST_CASE("a load's answer says where throughput stops growing") {
  const auto load = summary_of({{100, 100, "1"},
                                {240, 236.5, "2"},
                                {300, 241, "900"},
                                {400, 233, "4200"}});
  CHECK(answer(load)
        == "p99 was 1 ms at 100 sessions/s and 4.2 s at 400 sessions/s; "
           "throughput stops growing at 236.5 sessions/s.");
  // A level that was hardly raised says nothing.
  CHECK(answer(summary_of({{100, 100, "1"}, {102, 100, "1"}}))
        == "p99 was 1 ms at 100 sessions/s and 1 ms at 102 sessions/s; "
           "throughput grew up to 100 sessions/s.");
  CHECK(answer(summary_of({{10, 10, "0.42"}}, "", "turns/s"))
        == "p99 was 420 us at 10 turns/s; throughput was 20 turns/s.");
}

TEST_CASE("levels that do not rise have one answer, and a load without "
          "sessions has none") {
  CHECK(answer(summary_of({{60, 60, "10"}, {30, 30, "5"}}))
        == "p99 was 33 ms at all levels together; throughput was 7 "
           "sessions/s.");
  CHECK(!load_answer(summary_of({{60, 0, "null"}})));
  CHECK(!load_answer(summary_of({})));
}

TEST_CASE("times are in the unit that suits them") {
  for (const auto& [ms, words] :
       std::vector<std::pair<double, std::string>>{{0.9999, "1 ms"},
                                                   {0.0421, "42.1 us"},
                                                   {999.4, "999 ms"},
                                                   {999.9, "1 s"},
                                                   {1'234'567, "1235 s"}})
    CHECK(time_words(ms) == words);
}

TEST_CASE("the limits of assertions are those that charts have") {
  auto summary = summary_of({{60, 60, "10"}}, "p99<50ms");
  auto& all = summary.at("assertions").as_array();
  for (const auto* text : {"turn.p90<=2ms", "sessions/s>100", "lag.p99<1ms",
                           "errors<1%", "--fail-on turn-failure"})
    all.push_back(json::object{{"text", text}});
  const auto limits = limits_of(summary);
  CHECK(limits.times
        == std::vector<std::pair<double, std::string>>{{50, "p99<50ms"},
                                                       {2, "turn.p90<=2ms"}});
  CHECK(
    limits.rates
    == std::vector<std::pair<double, std::string>>{{100, "sessions/s>100"}});
}
