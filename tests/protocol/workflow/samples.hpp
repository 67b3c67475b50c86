#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/workflow/workflow.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace convene::test {

namespace json = boost::json;

inline json::value read_json_file(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  INFO(file);
  REQUIRE(in);
  return json::parse(text.str());
}

inline std::vector<std::filesystem::path> example_workflows() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator{
         CONVENE_SOURCE_DIR "/examples/workflows"})
    if (entry.path().extension() == ".json")
      all.push_back(entry.path());
  return all;
}

/// A node as a definition has it.
inline json::object node_of(const std::string& id, const std::string& type,
                            json::object config = {},
                            json::object inputs = {}) {
  return {{"id", id},
          {"typeId", type},
          {"name", id},
          {"position", {{"x", 0}, {"y", 0}}},
          {"config", std::move(config)},
          {"inputs", std::move(inputs)}};
}

inline json::object edge_of(const std::string& from, const std::string& to) {
  return {{"id", from + "-" + to},
          {"sourceNodeId", from},
          {"targetNodeId", to}};
}

/// A definition with these nodes and edges.
inline json::object workflow_of(json::array nodes, json::array edges = {}) {
  return {{"id", "w"},
          {"name", "w"},
          {"version", "1.0.0"},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)},
          {"triggers", json::array{}},
          {"variables", json::array{}},
          {"metadata", json::object{}},
          {"settings", json::object{}}};
}

} // namespace convene::test
