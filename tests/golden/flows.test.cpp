// The golden flows: each folder of tests/golden/flows is one. It has `input`
// (the MAP flows have theirs in examples/golden), `expected` if that is
// another, its own rules in `invariants.json`, and in `differences.json` what
// the input alone cannot give. tests/golden/refused has documents that must be
// refused.

#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/compare_folders.hpp>
#include <convene/runtime/data/documents/import_folder.hpp>
#include <runtime/log/event_log/files.hpp>

#include <algorithm>
#include <set>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

const fs::path root = CONVENE_SOURCE_DIR "/tests/golden";

using texts = std::vector<std::string>;

json::value read(const fs::path& file) {
  return protocol::parse_json(read_bytes(file)).value();
}

struct flow {
  std::string name;
  fs::path input;
  fs::path expected;
  protocol::rule_set rules; ///< those of all flows and its own
  texts differences;        ///< that are known
};

flow load(const fs::path& folder) {
  flow made{.name = folder.filename().string()};
  made.input = folder / "input";
  if (made.name.starts_with("map-flow-"))
    made.input = fs::path{CONVENE_SOURCE_DIR "/examples/golden"}
                 / made.name.substr(0, std::string{"map-flow-01"}.size());
  made.expected = fs::exists(folder / "expected") ? folder / "expected"
                                                  : made.input;
  constexpr std::string_view golden[]{"golden"};
  made.rules = protocol::embedded_invariants().value().select(golden).value();
  if (fs::exists(folder / "invariants.json"))
    REQUIRE(made.rules.add("own", read(folder / "invariants.json")));
  if (fs::exists(folder / "differences.json"))
    made.differences = json::value_to<texts>(read(folder / "differences.json"));
  return made;
}

std::vector<flow> flows() {
  std::vector<flow> all;
  for (const auto& folder : fs::directory_iterator{root / "flows"})
    all.push_back(load(folder.path()));
  std::ranges::sort(all, {}, &flow::name);
  return all;
}

/// `file: path` of each difference, `file: rule` of each broken rule and
/// `file: pointer keyword` of each other error.
texts compare(const fs::path& expected, const fs::path& actual,
              const protocol::rule_set& rules) {
  texts found;
  REQUIRE(
    compare_folders(expected, actual, rules, [&](const file_comparison& one) {
      for (const auto& [what, at] : one.differences)
        found.push_back(one.file + ": " + what.path);
      for (const auto& error : one.verdict.errors)
        found.push_back(one.file + ": "
                        + (error.rule.id.empty()
                             ? error.instance + ' ' + error.keyword
                             : error.rule.id));
    }));
  return found;
}

} // namespace

TEST_CASE("the nine registered flows and the fixtures are all there") {
  texts names;
  for (const auto& one : flows())
    names.push_back(one.name);
  CHECK(names
        == texts{"builder-single-agent", "flow-01-single-agent-plan",
                 "flow-02-large-plan", "flow-03-with-tools",
                 "flow-04-llm-enrichment", "flow-05-confirm-required",
                 "map-flow-01-turn-taking", "map-flow-02-broadcast-fanout",
                 "runtime-output", "sa-flow-01-basic",
                 "sa-flow-02-step-evaluation"});
}

TEST_CASE("a flow's documents are imported unchanged, to the byte") {
  for (const auto& one : flows()) {
    INFO(one.name);
    const scratch_folder at;
    const auto out = at / "out";
    const auto done = import_folder(one.input, out, {});
    REQUIRE(done);
    CHECK(done->how == import_report::outcome::imported);
    CHECK(done->files.size() >= 2);
    for (const auto& file : done->files)
      CHECK(read_bytes(out / file.file.c_str())
            == read_bytes(one.input / file.file));
  }
}

TEST_CASE("what a flow's input gives is as expected, but for what is known") {
  for (const auto& one : flows()) {
    INFO(one.name);
    CHECK(compare(one.expected, one.input, one.rules) == one.differences);
    CHECK(compare(one.expected, one.expected, one.rules).empty());
  }
}

TEST_CASE("every rule of a flow's own is checked on its documents") {
  for (const auto& one : flows()) {
    INFO(one.name);
    std::size_t checked = 0;
    std::set<std::string, std::less<>> unchecked;
    REQUIRE(validate_files({.paths = {one.expected}, .rules = &one.rules},
                           [&](const file_verdict& file) {
                             CHECK(file.errors.empty());
                             checked += file.rules_checked;
                             unchecked.insert(file.rules_unchecked.begin(),
                                              file.rules_unchecked.end());
                           }));
    CHECK(unchecked.empty());
    const auto own = std::ranges::count(one.rules.all(), "own",
                                        &protocol::invariant::set);
    CHECK(checked >= static_cast<std::size_t>(own) + 8);
  }
}

TEST_CASE("a change of what is compared is found, one of what is not is not") {
  const auto all = flows();
  for (const auto& one : all) {
    if (!one.differences.empty())
      continue;
    INFO(one.name);
    const auto spoiled = [&](const char* member, const json::value& value) {
      const scratch_folder at;
      fs::copy(one.expected, at.path(), fs::copy_options::recursive);
      auto plan = read(at / "plan.json").as_object();
      plan[member] = value;
      write_bytes(at / "plan.json", json::serialize(plan));
      return compare(one.expected, at.path(), {});
    };
    CHECK(spoiled("title", "Another") == texts{"plan.json: title"});
    CHECK(spoiled("plan_id", "550e8400-e29b-41d4-a716-446655449999").empty());
  }
}

TEST_CASE("a run that made no event is found by the rule for it") {
  constexpr std::string_view sa[]{"sa"};
  const auto rules = protocol::embedded_invariants().value().select(sa).value();
  for (const auto* name : {"runtime-output", "builder-single-agent"})
    CHECK(compare(root / "flows" / name / "input",
                  root / "flows" / name / "input", rules)
          == texts{"trace.json: sa_trace_not_empty"});
}

TEST_CASE("an error deep in a large plan has its real index") {
  const scratch_folder at;
  fs::copy(root / "flows/flow-02-large-plan/input", at.path(),
           fs::copy_options::recursive);
  auto plan = read(at / "plan.json");
  plan.at("steps").at(17).as_object()["description"] = " ";
  write_bytes(at / "plan.json", json::serialize(plan));
  texts paths;
  constexpr std::string_view golden[]{"golden"};
  const auto rules
    = protocol::embedded_invariants().value().select(golden).value();
  REQUIRE(validate_files({.paths = {at.path()}, .rules = &rules},
                         [&](const file_verdict& file) {
                           for (const auto& one : file.errors)
                             paths.push_back(one.rule.path);
                         }));
  CHECK(paths == texts{"steps[17].description"});
}

TEST_CASE("documents that must be refused are, for their reasons alone") {
  const auto expected = read(root / "refused.json").as_object();
  const auto& golden = protocol::embedded_invariants().value();
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator{root / "refused"}) {
    ++files;
    INFO(file.path().filename());
    const auto& what = expected.at(file.path().stem().string()).as_object();
    texts reasons;
    std::set<std::string> broken;
    REQUIRE(validate_files(
      {.paths = {file.path()},
       .schema = std::string{what.at("schema").as_string()},
       .strict = true,
       .rules = &golden},
      [&](const file_verdict& verdict) {
        for (const auto& one : verdict.errors)
          if (one.instance == "/$comment")
            continue; // which the flows' own reader takes away
          else if (one.rule.id.empty())
            reasons.push_back((one.instance.empty() ? "/" : one.instance) + ": "
                              + one.keyword);
          else
            broken.insert(one.rule.id);
      }));
    std::ranges::sort(reasons);
    CHECK(reasons == json::value_to<texts>(what.at("errors")));
    if (const auto* rules = what.if_contains("broken"))
      for (const auto& rule : rules->as_array())
        CHECK(broken.contains(std::string{rule.as_string()}));
  }
  CHECK(files == expected.size());
}

TEST_CASE("a folder with a document that must be refused is not imported") {
  const scratch_folder at;
  const auto done = import_folder(root / "refused", at / "out", {});
  REQUIRE(done);
  CHECK(done->how == import_report::outcome::refused);
  CHECK_FALSE(fs::exists(at / "out"));
  CHECK(fs::is_empty(at.path()));
}
