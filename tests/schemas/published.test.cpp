// The embedded schemas of the protocol, beside what the published ones demand.

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace json = boost::json;
using convene::schemas::all;

namespace {

using places = std::set<std::string>;

bool is_annotation(std::string_view keyword) {
  return keyword == "$schema" || keyword == "$id" || keyword == "title"
         || keyword == "description" || keyword == "x-mplp-meta";
}

/// Members by name, names that are required by name, too.
json::object sorted(const json::object& from) {
  std::map<std::string, json::value> members;
  for (const auto& [name, value] : from)
    members.emplace(name, value);
  if (const auto names = members.find("required"); names != members.end())
    std::ranges::sort(names->second.as_array(), {},
                      [](const json::value& name) { return name.as_string(); });
  json::object made;
  for (auto& [name, value] : members)
    made.emplace(name, std::move(value));
  return made;
}

/// Whether a definition has what the root has, `governance` left out, and
/// demands the same members, but is open.
bool is_copy(const json::object& definition, const json::object& root) {
  auto members = root.at("properties").as_object();
  members.erase("governance");
  return std::ranges::all_of(definition, [&](const auto& one) {
    const auto& [keyword, value] = one;
    return is_annotation(keyword) || (keyword == "type" && value == "object")
           || (keyword == "properties" && value == members)
           || (keyword == "required" && value == root.at("required"));
  });
}

/// A line for each place of a file that demands anything.
class reader {
public:
  reader(std::string file, places& to) : file_(std::move(file)), to_(&to) {}

  void read(const json::object& schema, const json::object& root,
            const std::string& pointer = "") {
    json::object own;
    for (const auto& [keyword, value] : schema)
      if (keyword == "properties" || keyword == "definitions"
          || keyword == "$defs")
        for (const auto& [name, one] : value.as_object())
          read_named(one.as_object(), root,
                     pointer + '/' + std::string{keyword} + '/'
                       + std::string{name});
      else if (keyword == "allOf" || keyword == "anyOf")
        for (std::size_t i = 0; i < value.as_array().size(); ++i)
          read(value.as_array()[i].as_object(), root,
               pointer + '/' + std::string{keyword} + '/' + std::to_string(i));
      else if (keyword == "items")
        read(value.as_object(), root, pointer + "/items");
      else if (!is_annotation(keyword))
        own.emplace(keyword, value);
    if (!own.empty())
      add(pointer.empty() ? "/" : pointer, json::serialize(sorted(own)));
  }

  void add(const std::string& place, const std::string& demand) {
    to_->insert(file_ + "  " + place + ' ' + demand);
  }

private:
  void read_named(const json::object& schema, const json::object& root,
                  const std::string& pointer) {
    if (pointer.ends_with("_core_properties") && is_copy(schema, root))
      add(pointer, "copy");
    else
      read(schema, root, pointer);
  }

  std::string file_;
  places* to_;
};

places read_published() {
  std::ifstream in{CONVENE_SOURCE_DIR "/tests/schemas/published.txt"};
  places found;
  std::string file;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("  "))
      found.insert(file + line);
    else if (!line.starts_with('#'))
      file = line;
  return found;
}

places without(const places& some, const places& others) {
  places rest;
  std::ranges::set_difference(some, others, std::inserter(rest, rest.end()));
  return rest;
}

} // namespace

TEST_CASE("the protocol's schemas demand what the published ones do") {
  places ours;
  for (const auto& file : all()) {
    if (!file.path.starts_with("v2/"))
      continue;
    reader into{std::string{file.path}, ours};
    const auto schema = json::parse(file.text);
    into.add("$id", std::string{file.id});
    into.read(schema.as_object(), schema.as_object());
  }
  const auto published = read_published();
  CHECK(published.size() == 514);
  CHECK(without(published, ours) == places{}); // what ours leave out
  CHECK(without(ours, published) == places{}); // what ours add
}
