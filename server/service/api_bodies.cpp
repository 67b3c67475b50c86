#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <convene/schemas/catalog.hpp>
#include <convene/server/service/api_bodies.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::string_view components_place = "#/components/schemas/";
constexpr std::string_view definitions_place = "/definitions/";

/// The files of schemas/api as one.
struct described_api {
  json::object endpoints; ///< by "POST /v1/runs"
  json::object schemas;
};

const described_api& described() {
  static const auto all = [] {
    described_api made;
    for (const auto& file : schemas::all()) {
      if (!file.path.starts_with("api/"))
        continue;
      const auto read = json::parse(file.text);
      for (const auto& [name, what] : read.at("endpoints").as_object())
        made.endpoints[name] = what;
      for (const auto& [name, what] : read.at("schemas").as_object())
        made.schemas[name] = what;
    }
    return made;
  }();
  return all;
}

/// Calls `see` with each `$ref` in it.
template <class See>
void each_reference(json::value& in, const See& see) {
  if (auto* const members = in.if_object()) {
    for (auto& [name, value] : *members)
      if (name == "$ref" && value.is_string())
        see(value);
      else
        each_reference(value, see);
  } else if (auto* const list = in.if_array()) {
    for (auto& each : *list)
      each_reference(each, see);
  }
}

/// A schema that is embedded, or a part of one.
struct schema_part {
  const schemas::embedded_file* file = nullptr;
  std::string pointer; ///< into the file
};

/// Where a reference of an embedded schema leads.
schema_part target_of(std::string_view reference,
                      const schemas::embedded_file& from) {
  const auto hash = std::min(reference.find('#'), reference.size());
  std::string id{reference.substr(0, hash)};
  if (id.find(':') == id.npos && !id.empty())
    id.insert(0, from.id.substr(0, from.id.rfind('/') + 1));
  return {id.empty() ? &from : schemas::find(id),
          std::string{reference.substr(std::min(hash + 1, reference.size()))}};
}

/// Its name as a component: "convene-scenario", or "convene-scenario.reply" for
/// one of its definitions. Generators of clients follow references to whole
/// components alone.
std::string component_name(const schema_part& of) {
  std::string made{name(*of.file)};
  auto rest = of.pointer;
  for (const auto place : {definitions_place, std::string_view{"/$defs/"}})
    if (rest.starts_with(place))
      rest.erase(0, place.size() - 1);
  std::ranges::replace(rest, '/', '.');
  return made + rest;
}

/// Embedded schemas as components, by their names.
class component_maker {
public:
  json::value make(const std::string& wanted) {
    if (const auto* const own = described().schemas.if_contains(wanted))
      return *own;
    const auto of = find(wanted);
    if (of.file == nullptr || of.file->id.empty())
      return {};
    const auto whole = json::parse(of.file->text);
    auto made = whole.at_pointer(of.pointer);
    // Its dialect is the document's: these schemas mean the same in both.
    if (auto* const members = made.if_object())
      for (const auto* const member : {"$schema", "$id", "definitions", "$defs",
                                       "allowComments", "allowTrailingCommas"})
        members->erase(member);
    each_reference(made, [this, &of](json::value& at) {
      auto to = target_of(at.as_string(), *of.file);
      if (to.file == nullptr)
        return;
      const auto called = component_name(to);
      parts_.try_emplace(called, std::move(to));
      at = std::string{components_place} + called;
    });
    return made;
  }

private:
  [[nodiscard]] schema_part find(const std::string& wanted) const {
    if (const auto known = parts_.find(wanted); known != parts_.end())
      return known->second;
    const auto dot = std::min(wanted.find('.'), wanted.size());
    schema_part made{schemas::find(wanted.substr(0, dot)), {}};
    if (dot != wanted.size())
      made.pointer = std::string{definitions_place} + wanted.substr(dot + 1);
    return made;
  }

  std::map<std::string, schema_part> parts_; ///< that were referred to
};

} // namespace

const json::object* bodies_of(const route& endpoint) {
  const auto name = endpoint.method + ' ' + endpoint.pattern;
  const auto& all = described().endpoints;
  const auto* const exact = all.if_contains(name);
  return exact == nullptr ? nullptr : &exact->as_object();
}

void add_schemas(const json::object& document, json::object& to) {
  std::vector<std::string> wanted;
  component_maker components;
  const auto note = [&wanted](const json::value& at) {
    const std::string_view place = at.as_string();
    if (!place.starts_with(components_place))
      return;
    const auto rest = place.substr(components_place.size());
    wanted.emplace_back(rest.substr(0, rest.find('/')));
  };
  json::value whole = document;
  each_reference(whole, note);
  while (!wanted.empty()) {
    const auto name = std::move(wanted.back());
    wanted.pop_back();
    if (to.contains(name))
      continue;
    auto made = components.make(name);
    if (made.is_null())
      continue;
    each_reference(made, note);
    to[name] = std::move(made);
  }
}

} // namespace convene::server
