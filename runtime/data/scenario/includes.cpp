#include <convene/protocol/json/pointer.hpp>
#include <convene/runtime/data/scenario/includes.hpp>
#include <convene/runtime/data/scenario/named_files.hpp>
#include <convene/runtime/data/scenario/refuse_at.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <string>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// Adds what `to` lacks; `added` gets the pointers of it.
void add_missing(json::object& to, json::object& from, std::string& pointer,
                 std::vector<std::string>& added) {
  const auto length = pointer.size();
  for (auto& each : from) {
    append_to_pointer(pointer, each.key());
    auto* const mine = to.if_contains(each.key());
    if (mine == nullptr) {
      to.emplace(each.key(), std::move(each.value()));
      added.push_back(pointer);
    } else if (mine->is_object() && each.value().is_object()) {
      add_missing(mine->get_object(), each.value().get_object(), pointer,
                  added);
    }
    pointer.resize(length);
  }
}

result<void> include(scenario_sources& sources, const json::value& named,
                     const std::string& pointer) {
  if (!named.is_string() || named.get_string().empty())
    return refuse_at(pointer,
                     "must name a file in or below the scenario's folder",
                     "include");
  const auto file = sources.folder / std::string{named.get_string()};
  if (auto allowed = may_name(sources, file, pointer); !allowed)
    return allowed;
  auto object = read_object(sources, pointer, file, true);
  if (!object)
    return fail(std::move(object).error());
  if (object->contains("include"))
    return refuse_at(pointer + "/include",
                     "a file that is included may not include others",
                     "include");
  object->erase("$schema"); // for editors
  auto& read = sources.origins.back();
  read.pointer.clear();
  read.is_included = true;
  std::string top;
  add_missing(sources.scenario, *object, top, read.parts);
  return {};
}

} // namespace

result<void> include_files(scenario_sources& sources) {
  const auto* given = sources.scenario.if_contains("include");
  if (given == nullptr)
    return {};
  if (!sources.has_folder)
    return refuse_at("/include",
                     "names files, and here are none: write their members into "
                     "the scenario",
                     "names_file");
  if (!given->is_array())
    return refuse_at("/include", "must be an array of file names", "include");
  const auto names = given->get_array();
  if (names.size() > includes_max)
    return refuse_at("/include", "names more than 16 files", "includes_max");
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto pointer = "/include/" + std::to_string(i);
    if (auto done = include(sources, names[i], pointer); !done)
      return done;
    bytes += sources.origins.back().text.json.size();
    if (bytes > document_bytes_max)
      return refuse_at(pointer, "the files have more than 64 MiB",
                       "include_bytes_max");
  }
  sources.scenario.stable_erase("include");
  return {};
}

} // namespace convene::host
