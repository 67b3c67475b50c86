#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;

TEST_CASE("the schemas are listed by name and path") {
  const auto text = run({"schemas", "list"});
  CHECK(text.code == 0);
  CHECK(text.err.empty());
  CHECK_THAT(text.out, Contains("mplp-collab ")
                         && Contains(" v2/mplp-collab.schema.json\n")
                         && Contains("convene-scenario "));
  const auto as_json = parse_json(run({"schemas", "list", "--json"}).out);
  REQUIRE(as_json);
  const auto& all = as_json->at("schemas").as_array();
  const auto lines = std::count(text.out.begin(), text.out.end(), '\n');
  CHECK(all.size() == static_cast<std::size_t>(lines));
  for (const auto& one : all) {
    const bool is_schema
      = std::string_view{one.at("path").as_string()}.ends_with(".schema.json");
    CHECK(one.at("id").is_string() == is_schema);
  }
}

TEST_CASE("a schema is shown as the file that it is, by any of its names") {
  const auto file = read_bytes(std::filesystem::path{CONVENE_SOURCE_DIR}
                               / "schemas" / "v2/mplp-plan.schema.json");
  REQUIRE_FALSE(file.empty());
  for (const std::string name :
       {"plan", "mplp-plan", "v2/mplp-plan.schema.json",
        "https://schemas.mplp.dev/v1.0/mplp-plan.schema.json"}) {
    const auto shown = run({"schemas", "show", name});
    CHECK(shown.code == 0);
    CHECK(shown.out == file);
  }
}

TEST_CASE("a schema that is not there is a usage error with near names") {
  const auto refused = run({"schemas", "show", "mplp-colab"});
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains("\"mplp-colab\"")
                            && Contains("\"mplp-collab\"")
                            && Contains("schemas list"));
  const auto as_json = run({"schemas", "show", "x\x1b", "--json"});
  CHECK(as_json.code == 2);
  const auto document = parse_json(as_json.out);
  REQUIRE(document);
  CHECK(document->at("error").at("details").at("rule") == "unknown_schema");
}

TEST_CASE("schemas wants to know what to do") {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
         {"schemas"}, {"schemas", "show"}, {"schemas", "drop"}}) {
    const auto refused = run(arguments);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("schemas"));
  }
}
