#include <catch2/catch.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace fs = std::filesystem;
using namespace convene::schemas;

namespace {

const fs::path folder = fs::path{CONVENE_SOURCE_DIR} / "schemas";

std::string read(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("Every JSON file of the folder is embedded as it is") {
  std::set<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator{folder})
    if (entry.path().extension() == ".json")
      paths.insert(fs::relative(entry.path(), folder).generic_string());
  std::set<std::string> embedded;
  for (const auto& file : all()) {
    INFO(file.path);
    embedded.emplace(file.path);
    CHECK(file.text == read(folder / file.path));
  }
  CHECK(paths == embedded);
  CHECK(all().size() == paths.size());
}

TEST_CASE("A schema is found by each of its names") {
  const auto* plan = find("v2/mplp-plan.schema.json");
  REQUIRE(plan != nullptr);
  CHECK(convene::schemas::name(*plan) == "mplp-plan");
  CHECK(plan->text.find("\"Plan\"") != std::string_view::npos);
  for (auto name : {"https://schemas.mplp.dev/v1.0/mplp-plan.schema.json",
                    "mplp-plan", "plan"}) {
    INFO(name);
    CHECK(find(name) == plan);
  }
  // An id that does not end as the file's name does.
  const auto* git = find("https://mplp.dev/schemas/v1.0/integration/"
                         "mplp-git-event.json");
  REQUIRE(git != nullptr);
  CHECK(git->path == "v2/integration/mplp-git-event.schema.json");
  CHECK(find("native-event") == find("convene-native-event.schema.json"));
  CHECK(find("scenario") == find("urn:convene:schema:scenario"));
}

TEST_CASE("A data file is found by its path and its name") {
  const auto* sa = find("invariants/sa.json");
  REQUIRE(sa != nullptr);
  CHECK(sa->id.empty());
  CHECK(find("sa") == sa);
}

TEST_CASE("What is not there is not found") {
  for (auto name : {"", "pla", "plan.schema", "v2", "mplp-"}) {
    INFO(name);
    CHECK(find(name) == nullptr);
  }
}

TEST_CASE("No two files share a name or an id") {
  std::set<std::string_view> names;
  for (const auto& file : all()) {
    INFO(file.path);
    CHECK(names.insert(file.path).second);
    CHECK(names.insert(short_name(file)).second);
    CHECK((file.id.empty() || names.insert(file.id).second));
    CHECK(find(short_name(file)) == &file);
  }
}
