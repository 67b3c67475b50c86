#include "documents.hpp"

#include <convene/protocol/lifecycle/text.hpp>
#include <convene/schemas/catalog.hpp>

#include <fstream>
#include <sstream>

using namespace convene::tests;

namespace {

std::string read_document() {
  std::ifstream in{std::string{CONVENE_SOURCE_DIR} + "/docs/lifecycles.md"};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("docs/lifecycles.md has every lifecycle as the tables have it") {
  const auto page = read_document();
  REQUIRE_FALSE(page.empty());
  std::string tables;
  for (const auto* of : all_lifecycles())
    tables += '\n' + lifecycle_text(*of);
  // The text to put there: convene lifecycle show.
  CHECK(page.find(tables) != std::string::npos);
  CHECK(page.ends_with(tables));
}

TEST_CASE("docs/lifecycles.md explains every precondition and policy") {
  const auto page = read_document();
  for (const auto word : words_of<precondition>) {
    INFO(word);
    const auto one = *from_word<precondition>(word);
    CHECK(page.find("| " + std::string{word} + " | "
                    + std::string{meaning_of(one)} + " | "
                    + std::string{advice_for(one)} + " |")
          != std::string::npos);
  }
  for (const auto reading :
       {row_reading::extensions_return, row_reading::one_round,
        row_reading::native_words}) {
    const auto text = std::string{reading_text(reading)};
    CHECK(page.find('`' + text.substr(text.find(' ') + 1) + '`')
          != std::string::npos);
  }
}

TEST_CASE("the statuses of a lifecycle are those of the schema") {
  const auto words = [](const json::value& schema) {
    std::vector<std::string> all;
    for (const auto& one : schema.at("enum").as_array())
      all.emplace_back(one.as_string());
    return all;
  };
  const auto states = [](std::string_view name) {
    std::vector<std::string> all;
    for (const auto& state : find_lifecycle(name)->states)
      if (applies(state.reading, {}))
        all.emplace_back(state.word);
    return all;
  };
  const auto schema = [](std::string_view name) {
    return json::parse(convene::schemas::find(name)->text);
  };
  for (const auto word : words_of<module>) {
    if (word == "role")
      continue;
    INFO(word);
    CHECK(words(schema(word).at("properties").at("status")) == states(word));
  }
  const std::vector<std::tuple<std::string, std::string, std::string>> parts{
    {"plan", "plan_step_core", "step"},
    {"trace", "trace_segment_core", "segment"},
    {"core", "core_module_descriptor", "core_module"},
    {"network", "network_node_core", "node"}};
  for (const auto& [owner, definition, name] : parts) {
    INFO(name);
    const auto whole = schema(owner);
    const auto& found = whole.at("$defs").at(definition);
    CHECK(words(found.at("properties").at("status")) == states(name));
  }
}

TEST_CASE("a lifecycle as JSON has its moves, needs and events") {
  const auto plan = lifecycle_json(*find_lifecycle("plan"));
  CHECK(plan.at("states").as_array().size() == 7);
  const auto& start = plan.at("moves").at(5).as_object();
  CHECK(text_of(start, "from") == "approved");
  CHECK(text_of(start, "to") == "in_progress");
  CHECK(texts_of(start, "needs")
        == std::vector<std::string_view>{"has_steps", "context_active"});
  CHECK(
    texts_of(start, "events")
    == std::vector<std::string_view>{"plan_status_changed", "plan_updated"});
  CHECK(lifecycle_json(*find_lifecycle("role")).at("initial").is_null());
}
