#include "one_run.hpp"

#include <convene/lab/simulation/property_judge.hpp>
#include <runtime/log/event_log/files.hpp>

using namespace convene;
using convene::tests::one_run;
using convene::tests::scratch_folder;
using convene::tests::write_bytes;

namespace {

result<std::vector<host::property>> read(const std::string& text) {
  const scratch_folder folder;
  write_bytes(folder / "calm.json", text);
  return host::read_properties(folder / "calm.json");
}

/// What breaks these properties in a session of six turns, three each of ann,
/// who says `mine`, and bob.
std::vector<std::string> broken(const std::string& text) {
  static const one_run run;
  const auto properties = read(text);
  REQUIRE(properties);
  host::property_judge judge{*properties};
  run.log.for_each([&](std::size_t number, std::string_view line) {
    judge.feed(number, *protocol::parse_json(line), line);
  });
  host::seed_findings found;
  const auto positions = judge.finish(*run.ended, {}, found);
  CHECK(positions.size() == found.total);
  std::vector<std::string> all;
  for (const auto& one : found.first) {
    CHECK(one.rule == "property");
    all.push_back(one.message);
  }
  return all;
}

bool is_broken(const std::string& text) {
  return !broken(text).empty();
}

} // namespace

TEST_CASE("what never shall hold is looked for after every input") {
  CHECK(broken(R"({"name": "short", "never": {"turns": 5}})")
        == std::vector<std::string>{"short: it held: turns, 5"});
  CHECK_FALSE(is_broken(R"({"never": {"turns": 7}})"));
  CHECK(is_broken(R"({"never": {"text": "mine", "role": "ann"}})"));
  CHECK_FALSE(is_broken(R"({"never": {"text": "mine", "role": "bob"}})"));
  CHECK(is_broken(
    R"({"never": {"resource": {"resource_type": "file", "resource_id": "a",
                               "equals": "by ann"}}})"));
  // bob takes up to 900 ms; nothing happens meanwhile, but time passes.
  CHECK(is_broken(R"({"never": {"idle_ms": 50}})"));
  CHECK_FALSE(is_broken(R"({"never": {"idle_ms": 1000}})"));
}

TEST_CASE("what shall hold at the end need not have held before") {
  CHECK_FALSE(is_broken(R"({"at_end": {"turns": 6}})"));
  CHECK_FALSE(is_broken(R"({"at_end": {"not": {"turns": 7}}})"));
  CHECK(broken(R"({"at_end": {"text": "yours"}})")
        == std::vector<std::string>{"calm: it does not hold at the end"});
}

TEST_CASE("members of the result are compared") {
  CHECK_FALSE(is_broken(R"({"result": {"turns_failed": {"equals": 0}}})"));
  CHECK_FALSE(is_broken(R"({"result": {"turns_total": {"equals": 6}}})"));
  CHECK_FALSE(is_broken(R"({"result": {"turns_total": {"at_most": 6},
                                       "usage.tokens": {"below": 1}}})"));
  CHECK(broken(R"([{"result": {"turns_total": {"below": 6}}},
                   {"result": {"status": {"differs": "completed"}}},
                   {"result": {"nothing": {"equals": null}}}])")
        == std::vector<std::string>{
          "calm/0: turns_total is 6, wanted: below 6",
          "calm/1: status is \"completed\", wanted: differs \"completed\"",
          "calm/2: the result has no nothing"});
  CHECK(is_broken(R"({"result": {"turns_total": {"above": 6}}})"));
  CHECK(is_broken(R"({"result": {"turns_total": {"at_least": 7}}})"));
  CHECK(is_broken(R"({"result": {"status": {"at_most": 7}}})"));
}

TEST_CASE("a property that makes no sense is refused with its place") {
  for (const auto& [text, pointer] :
       std::vector<std::pair<std::string, std::string>>{
         {"[3]", "/0"},
         {"{}", ""},
         {R"({"never": {"turn": 3}})", "/never/turn"},
         {R"({"sometimes": {"turns": 3}})", "/sometimes"},
         {R"({"never": {"turns": 3}, "at_end": {"turns": 3}})", "/at_end"},
         {R"({"never": {"custom": "mine"}})", "/never"},
         {R"({"name": "", "never": {"turns": 3}})", "/name"},
         {R"({"result": {}})", "/result"},
         {R"({"result": {"a": 3}})", "/result/a"},
         {R"({"result": {"a": {"most": 3}}})", "/result/a/most"},
         {R"({"result": {"a": {"below": "x"}}})", "/result/a/below"}}) {
    CAPTURE(text);
    const auto refused = read(text);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().pointer == pointer);
    CHECK(refused.error().line == 1);
  }
  std::string many = "[{}";
  for (int i = 0; i < 100; ++i)
    many += ",{}";
  CHECK(read(many + "]").error().rule == "properties_max");
}

TEST_CASE("a property that is called after its file has a name in UTF-8") {
  const scratch_folder folder;
  const auto file = folder.path() / "calm\xff.json";
  write_bytes(file, R"({"never": {"turns": 3}})");
  const auto all = host::read_properties(file);
  REQUIRE(all);
  CHECK(all->at(0).name == "calm\xef\xbf\xbd");
}
