#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <convene/schemas/catalog.hpp>
#include <convene/server/service/api_bodies.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::string_view components_place = "#/components/schemas/";

/// The files of schemas/api as one.
struct described_api {
  json::object endpoints; ///< by "POST /v1/runs"; "GET /page/*" is for many
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

/// Where a reference of an embedded schema leads among the components.
std::string among_components(std::string_view reference,
                             const schemas::embedded_file& from) {
  const auto hash = std::min(reference.find('#'), reference.size());
  const auto fragment = reference.substr(std::min(hash + 1, reference.size()));
  std::string id{reference.substr(0, hash)};
  if (id.find(':') == id.npos && !id.empty())
    id.insert(0, from.id.substr(0, from.id.rfind('/') + 1));
  const auto* const to = id.empty() ? &from : schemas::find(id);
  if (to == nullptr)
    return std::string{reference};
  return std::string{components_place}.append(name(*to)).append(fragment);
}

/// A schema that is a component by this name.
json::value component(std::string_view wanted) {
  if (const auto* const own = described().schemas.if_contains(wanted))
    return *own;
  const auto* const file = schemas::find(wanted);
  if (file == nullptr || file->id.empty())
    return {};
  auto made = json::parse(file->text);
  // Its dialect is the document's: these schemas mean the same in both.
  made.as_object().erase("$schema");
  made.as_object().erase("$id");
  each_reference(made, [file](json::value& at) {
    at = among_components(at.as_string(), *file);
  });
  return made;
}

} // namespace

const json::object* bodies_of(const route& endpoint) {
  const auto name = endpoint.method + ' ' + endpoint.pattern;
  const auto& all = described().endpoints;
  if (const auto* const exact = all.if_contains(name))
    return &exact->as_object();
  for (const auto& [pattern, bodies] : all)
    if (std::string_view begin = pattern;
        begin.ends_with('*')
        && name.starts_with(begin.substr(0, begin.size() - 1)))
      return &bodies.as_object();
  return nullptr;
}

void add_schemas(const json::object& document, json::object& to) {
  std::vector<std::string> wanted;
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
    auto made = component(name);
    if (made.is_null())
      continue;
    each_reference(made, note);
    to[name] = std::move(made);
  }
}

} // namespace convene::server
