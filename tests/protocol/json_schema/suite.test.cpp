#include "documents.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

using namespace convene;
using namespace convene::protocol;
using namespace convene::tests;

namespace {

namespace files = std::filesystem;

const files::path suite = CONVENE_JSON_SCHEMA_SUITE;

json::value read(const files::path& path) {
  std::ifstream in{path};
  REQUIRE(in);
  return json::parse(std::string{std::istreambuf_iterator<char>{in}, {}});
}

/// The suite serves its remotes from http://localhost:1234/.
void add_remotes(schema_set& set) {
  const auto folder = suite / "remotes";
  for (const auto& entry : files::recursive_directory_iterator{folder})
    if (entry.path().extension() == ".json")
      REQUIRE(set.add("http://localhost:1234/"
                        + entry.path().lexically_relative(folder).string(),
                      read(entry.path())));
}

/// Left out, with the reason in docs/validation.md: a file, and what the
/// verdicts are instead.
const std::set<std::string> content_keywords_only_annotate{
  "an invalid JSON document",
  "an invalid base64 string (% is not a valid character)",
  "a validly-encoded invalid JSON document",
  "an invalid base64 string that is valid JSON"};

bool is_left_out(const files::path& file, const std::string& test) {
  return file.filename() == "content.json"
         && content_keywords_only_annotate.count(test) != 0;
}

std::size_t run_file(const files::path& file) {
  std::size_t cases = 0;
  const auto groups = read(file);
  for (const auto& group : groups.as_array()) {
    schema_set set;
    add_remotes(set);
    REQUIRE(set.add("suite:schema", group.at("schema")));
    const auto schema = compile(set, "suite:schema");
    INFO(file.filename() << ": " << group.at("description").as_string());
    if (!schema)
      FAIL(to_string(schema.error()));
    for (const auto& test : group.at("tests").as_array()) {
      const std::string name{test.at("description").as_string()};
      INFO(name);
      const bool valid = test.at("valid").as_bool();
      const auto out = validated(*schema, json::serialize(test.at("data")));
      CHECK(out.valid == (valid || is_left_out(file, name)));
      CHECK(out.limit == validation_limit::none);
      CHECK(out.violations.empty() == out.valid);
      ++cases;
    }
  }
  return cases;
}

std::size_t run_folder(const files::path& folder) {
  std::size_t cases = 0;
  for (const auto& entry : files::directory_iterator{folder})
    if (entry.path().extension() == ".json")
      cases += run_file(entry.path());
  return cases;
}

} // namespace

TEST_CASE("the public suite's required cases hold") {
  CHECK(run_folder(suite / "tests" / "draft7") > 400);
}

TEST_CASE("the public suite's optional cases hold") {
  CHECK(run_folder(suite / "tests" / "draft7" / "optional") > 15);
}

TEST_CASE("the public suite's formats hold") {
  CHECK(run_folder(suite / "tests" / "draft7" / "optional" / "format") > 100);
}

TEST_CASE("formats only annotate when that is asked for") {
  const auto schema = compiled(R"({"format": "uuid"})",
                               {.assert_formats = false});
  CHECK(validated(schema, R"("no uuid")").valid);
}
