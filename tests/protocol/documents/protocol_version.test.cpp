#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/documents/protocol_version.hpp>

using namespace convene::protocol;

namespace {

json::object of_version(std::string_view version) {
  return {
    {"meta", {{"protocol_version", version}, {"schema_version", "1.0.0"}}}};
}

} // namespace

TEST_CASE("documents of the same major and minor version are read") {
  const auto [version, is_read] = GENERATE(table<std::string, bool>({
    {"1.0.0", true},
    {"1.0.1", true},
    {"1.0.99", true},
    {"1.1.0", false},
    {"1.10.0", false},
    {"2.0.0", false},
    {"0.9.0", false},
    {"10.0.0", false},
    {"11.0.0", false},
    {"1", true},
    {"2", false},
    {"99999999999999999999.0.0", false},
    {"1.99999999999999999999.0", false},
    {"1.0.0-draft", true},
    {"one", true}, // no version: the schema's to refuse
    {"", true},
  }));
  INFO(version);
  CHECK(is_supported_protocol_version(version) == is_read);
  const auto checked = check_protocol_version(of_version(version));
  REQUIRE(checked.has_value() == is_read);
  if (is_read)
    return;
  CHECK(checked.error().code == errc::unsupported);
  CHECK(checked.error().rule == "protocol_version_unsupported");
  CHECK(checked.error().pointer == "/meta/protocol_version");
  CHECK_THAT(checked.error().message,
             Catch::Contains('"' + version + '"') && Catch::Contains("1.0.0"));
}

TEST_CASE("the version that this program gives its documents is supported") {
  CHECK(metadata{}.protocol_version == supported_protocol_versions.back());
  for (const auto version : supported_protocol_versions)
    CHECK(is_supported_protocol_version(version));
}

TEST_CASE("a Core's own version counts as well") {
  auto core = of_version("1.0.0");
  core["protocol_version"] = "1.2.0";
  const auto checked = check_protocol_version(core, "/core");
  REQUIRE_FALSE(checked);
  CHECK(checked.error().pointer == "/core/protocol_version");
}

TEST_CASE("each document in a scenario has a version that is read") {
  const auto [member, pointer] = GENERATE(table<std::string, std::string>({
    {"context", "/context"},
    {"collab", "/collab"},
    {"plan", "/plan"},
    {"confirm", "/confirm"},
    {"roles", "/roles/1"},
  }));
  json::object scenario;
  for (const std::string name : {"context", "collab", "plan", "confirm"})
    scenario[name] = of_version(name == member ? "3.0.0" : "1.0.0");
  scenario["roles"] = json::array{
    of_version("1.0.0"), of_version(member == "roles" ? "3.0.0" : "1.0.0")};
  const auto checked = check_scenario_versions(scenario);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().pointer == pointer + "/meta/protocol_version");
}

TEST_CASE("what is no text where a version belongs is the schema's to refuse") {
  for (const auto* text :
       {R"({})", R"({"meta": 1})", R"({"meta": {"protocol_version": 2}})",
        R"({"protocol_version": {}})", R"({"roles": [1, {}], "plan": []})"}) {
    const auto document = json::parse(text).as_object();
    CHECK(check_protocol_version(document));
    CHECK(check_scenario_versions(document));
  }
}
