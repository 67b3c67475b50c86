#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/simulation/measure.hpp>
#include <convene/session/workspace/workspace.hpp>

using namespace convene;
using host::parse_measure;

namespace {

host::measured_session session_with_files() {
  session::workspace shared;
  for (const int i : {1, 2, 3})
    shared.add({"file", "a, b"}, boost::json::value{{"size", i}}, {}, 0);
  shared.add({"file", "c"}, boost::json::value(8), {}, 0);
  shared.add({"doc", "d"}, boost::json::value(9), {}, 0);
  return {.result
          = boost::json::parse(
              R"({"turns_total": 12, "usage": {"tokens": 30}, "mode": "pair"})")
              .as_object(),
          .events = {{"MAPTurnCompleted", 4}},
          .workspace = shared.view()};
}

std::optional<double> measured(const std::string& expression) {
  const auto made = parse_measure("it=" + expression);
  INFO(expression << (made ? "" : ": " + to_string(made.error())));
  REQUIRE(made);
  return made->of(session_with_files());
}

} // namespace

TEST_CASE("an expression is calculated as it is written on paper") {
  CHECK(measured("1 + 2 * 3 - 4 / 2") == 5);
  CHECK(measured("(1 + 2) * -3") == -9);
  CHECK(measured("10 - 3 - 2") == 5);
  CHECK(measured("floor(7 / 2) + 0.5") == 3.5);
  CHECK(measured("--2") == 2);
  CHECK(measured("1e3") == 1000);
}

TEST_CASE("an expression knows the result, the events and the workspace") {
  CHECK(measured("turns_total") == 12);
  CHECK(measured("usage.tokens / turns_total") == 2.5);
  CHECK(measured("events(MAPTurnCompleted)") == 4);
  CHECK(measured("events(MAPHandoffInitiated)") == 0);
  CHECK(measured(R"(value(file, "a, b", /size))") == 3);
  CHECK(measured("value(file, c)") == 8);
  CHECK(measured(R"(version( file , "a, b" ))") == 3);
  CHECK(measured("version(file, nobody)") == 0);
  CHECK(measured("versions(file)") == 4);
}

TEST_CASE("what has no such number is not measured") {
  CHECK_FALSE(measured("turns"));
  CHECK_FALSE(measured("mode"));
  CHECK_FALSE(measured("usage.tokens.all"));
  CHECK_FALSE(measured("value(file, nobody)"));
  CHECK_FALSE(measured("value(file, c, /size)"));
  CHECK_FALSE(measured("1 / (turns_total - 12)"));
  CHECK_FALSE(measured("1e300 * 1e300"));
  CHECK_FALSE(measured("1 + mode"));
}

TEST_CASE("an expression that makes no sense is refused at its column") {
  const auto [text, rule, part]
    = GENERATE(table<std::string, std::string, std::string>({
      {"x", "measure", "name=expression"},
      {"=1", "measure", "name=expression"},
      {"1x=1", "measure_name", "begins with a letter"},
      {"a b=1", "measure_name", "begins with a letter"},
      {"turns=1", "measure_name", "measured already"},
      {"completion_ms=1", "measure_name", "measured already"},
      {"x=", "measure", "column 3: write a number"},
      {"x=1 +", "measure", "column 6: write a number"},
      {"x=1 2", "measure", "column 5: write +, -, * or /"},
      {"x=(1", "measure", "column 5: write )"},
      {"x=event(a)", "measure", "did you mean \"events\"?"},
      {"x=events()", "measure", "write a name here"},
      {"x=value(a)", "measure", "takes 2 or 3 arguments"},
      {"x=version(a, \"b)", "measure", "in quotes"},
      {"x=a.", "measure", "after the dot"},
      {"x=1e999", "measure", "too large"},
      {"x=" + std::string(60, '(') + "1" + std::string(60, ')'), "measure",
       "within each other"},
      {"x=" + std::string(1'000, '1'), "measure_bytes_max", "1000 bytes"},
    }));
  CAPTURE(text);
  const auto made = parse_measure(text);
  REQUIRE_FALSE(made);
  CHECK(made.error().rule == rule);
  CHECK_THAT(made.error().message, Catch::Contains(part));
}
