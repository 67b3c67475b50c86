#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/overrides.hpp>
#include <convene/runtime/data/scenario/variables.hpp>

using namespace convene::host;
using convene::protocol::parse_json;

namespace {

/// The scenario afterwards, or the place and rule of the refusal.
std::string replaced(const std::string& text) {
  auto scenario = parse_json(text).value().as_object();
  const auto done = replace_variables(scenario);
  return done ? convene::protocol::json::serialize(scenario)
              : done.error().pointer + ' ' + done.error().rule;
}

} // namespace

TEST_CASE("references in strings become the values of variables") {
  CHECK(replaced(R"({"variables": {"WHO": "ada", "N": 3}, "task":
                     "${WHO} ${N} ${WHO}!", "a": [{"b": "x${N}"}]})")
        == R"({"task":"ada 3 ada!","a":[{"b":"x3"}]})");
}

TEST_CASE("a string that is only a reference becomes the value itself") {
  CHECK(replaced(R"({"variables": {"N": 3, "ON": true, "T": "t"},
                     "a": "${N}", "b": "${ON}", "c": "${T}"})")
        == R"({"a":3,"b":true,"c":"t"})");
}

TEST_CASE("what is no reference stays, and two dollars stand for one") {
  CHECK(replaced(R"({"variables": {"A": "1"}, "task":
                     "$A ${} ${1} ${a.b} ${{A}} $${A} ${A"})")
        == R"({"task":"$A ${} ${1} ${a.b} ${{A}} ${A} ${A"})");
}

TEST_CASE("values are not replaced again") {
  CHECK(replaced(R"({"variables": {"A": "${B}", "B": "b"}, "task": "${A}."})")
        == R"({"task":"${B}."})");
}

TEST_CASE("without variables texts stay as they are") {
  const std::string text = R"({"task":"echo ${HOME} $${X}"})";
  CHECK(replaced(text) == text);
}

TEST_CASE("a variable that is unknown is refused with its place") {
  CHECK(replaced(R"({"variables": {}, "a": [0, {"b/c": "x ${NOPE}"}]})")
        == "/a/1/b~1c variable_unknown");
  CHECK(replaced(R"({"behaviours": {"ada": {"type": "llm",
                     "model": "${MODEL}"}}})")
        == "/behaviours/ada/model variable_unknown");
  auto scenario
    = parse_json(R"({"variables": {"MODEL": "m"}, "a": "${MODLE}"})")
        .value()
        .as_object();
  CHECK_THAT(replace_variables(scenario).error().message,
             Catch::Contains(R"(unknown variable "MODLE" (did you mean )"
                             R"("MODEL"?))")
               && Catch::Contains("--set variables.MODLE=VALUE"));
}

TEST_CASE("variables are texts, numbers and truth values, by plain names") {
  CHECK(replaced(R"({"variables": ["a"]})") == "/variables variables");
  CHECK(replaced(R"({"variables": {"a b": "x"}})")
        == "/variables/a b variables");
  CHECK(replaced(R"({"variables": {"1a": "x"}})") == "/variables/1a variables");
  CHECK(replaced(R"({"variables": {"a": {}}})") == "/variables/a variables");
  CHECK(replaced(R"({"variables": {"a": null}})") == "/variables/a variables");
}

TEST_CASE("what variables replace is bounded") {
  const std::string big(variable_bytes_max, 'x');
  CHECK(replaced(R"({"variables": {"A": ")" + big + R"(x"}})")
        == "/variables/A variable_bytes_max");
  std::string many;
  for (std::size_t i = 0; i <= replaced_bytes_max / variable_bytes_max; ++i)
    many += "${A}";
  CHECK(replaced(R"({"variables": {"A": ")" + big + R"("}, "t": ")" + many
                 + R"("})")
        == "/t replaced_bytes_max");
  std::string names;
  for (std::size_t i = 0; i <= variables_max; ++i)
    names += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\": 1";
  CHECK(replaced(R"({"variables": {)" + names + "}}")
        == "/variables variables_max");
}

TEST_CASE("an override with a question mark counts only where its member is") {
  const auto scenario
    = parse_json(R"({"variables": {"A": 1}, "a?": {"b": null}})")
        .value()
        .as_object();
  const auto counts = [&](std::string_view text) {
    const auto parsed = parse_override(text).value();
    return !parsed.only_if_there || is_there(parsed, scenario);
  };
  CHECK(counts("variables.A?=2"));
  CHECK_FALSE(counts("variables.B?=2"));
  CHECK_FALSE(counts("variables.A.B?=2"));
  CHECK_FALSE(counts("none?=2"));
  CHECK(counts("none=2"));
  // A name may end with one.
  CHECK(counts(R"(a\?.b?=2)"));
  const auto name = parse_override(R"(a\?=2)").value();
  CHECK_FALSE(name.only_if_there);
  CHECK(name.path == std::vector<std::string>{"a?"});
}
