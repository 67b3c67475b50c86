#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/data/scenario/commands.hpp>
#include <convene/runtime/data/scenario/named_files.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// Lists of documents.
constexpr std::string_view lists[] = {"roles", "extensions",
                                      "extension_confirms"};

/// Replaces a string by the document it names.
result<void> embed(scenario_sources& sources, json::value& at,
                   const std::string& pointer) {
  if (auto* object = at.if_object())
    object->erase("$comment");
  const auto* named = at.if_string();
  if (named == nullptr)
    return {};
  const fs::path name{std::string{named->data(), named->size()}};
  if (name.empty())
    return fail(
      {.code = errc::invalid_document,
       .message = "must name a file in or below the scenario's folder",
       .pointer = pointer,
       .rule = "document_path"});
  const auto file = sources.folder / name;
  if (auto allowed = may_name(sources, file, pointer); !allowed)
    return allowed;
  auto object = read_object(sources, pointer, file, false);
  if (!object)
    return fail(std::move(object).error());
  at = std::move(*object);
  return {};
}

} // namespace

result<void> may_name(const scenario_sources& sources, const fs::path& file,
                      const std::string& pointer) {
  const auto folder = sources.folder.empty() ? fs::path{"."} : sources.folder;
  if (is_below(file, folder)
      || (sources.allow != nullptr && sources.allow->may_read(file)))
    return {};
  std::error_code failed;
  const auto real = fs::weakly_canonical(file, failed);
  if (failed) // a loop of links, which leads nowhere
    return fail({.code = errc::unreadable,
                 .message = "cannot be read: " + failed.message(),
                 .pointer = pointer,
                 .value = shorten(file.string())});
  return fail({.code = errc::invalid_document,
               .message = "names a file outside of the scenario's folder; to "
                          "allow that, add --allow read="
                          + real.parent_path().string(),
               .pointer = pointer,
               .rule = "permission_needed",
               .value = shorten(real.string())});
}

result<void> embed_documents(scenario_sources& sources) {
  for (const auto name : document_members)
    if (auto* at = sources.scenario.if_contains(name))
      if (auto done = embed(sources, *at, '/' + std::string{name}); !done)
        return done;
  for (const auto member : lists) {
    const std::string name{member};
    auto* const list = array_in(sources.scenario, name);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
      if (auto done = embed(sources, (*list)[i],
                            '/' + name + '/' + std::to_string(i));
          !done)
        return done;
  }
  return {};
}

result<void> place_recordings(scenario_sources& sources) {
  auto* const all = object_in(sources.scenario, "behaviours");
  if (all == nullptr)
    return {};
  for (auto& each : *all) {
    auto* const behaviour = each.value().if_object();
    auto* const log = behaviour == nullptr ? nullptr
                                           : behaviour->if_contains("log");
    // What is no name is for who reads the settings to refuse.
    if (log == nullptr || text_of(*behaviour, "type") != "recorded"
        || !log->is_string() || log->get_string().empty())
      continue;
    std::string pointer = "/behaviours";
    append_to_pointer(pointer, each.key());
    pointer += "/log";
    const auto file = sources.folder / std::string{log->get_string()};
    if (!sources.has_folder
        && (file.is_relative() || sources.allow == nullptr
            || !sources.allow->may_read(file)))
      return fail({.code = errc::invalid_document,
                   .message = "names a file, and here is none: recordings are "
                              "for scenarios that are files themselves",
                   .pointer = std::move(pointer),
                   .rule = "names_file",
                   .value = shorten_value(*log)});
    if (auto allowed = may_name(sources, file, pointer); !allowed)
      return allowed;
    std::error_code failed;
    const auto real = fs::weakly_canonical(fs::absolute(file, failed), failed);
    *log = failed ? file.string() : real.string();
  }
  return {};
}

result<void> check_names_no_file(const json::object& scenario) {
  const auto check = [](const json::value& at, const std::string& pointer) {
    if (!at.is_string())
      return result<void>{};
    return result<void>{
      fail({.code = errc::invalid_document,
            .message = "names a file, and here is none: embed the document",
            .pointer = pointer,
            .rule = "names_file",
            .value = shorten_value(at)})};
  };
  for (const auto name : document_members)
    if (const auto* at = scenario.if_contains(name))
      if (auto whole = check(*at, '/' + std::string{name}); !whole)
        return whole;
  for (const auto name : lists) {
    const auto& list = items_of(scenario, name);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (auto whole = check(list[i],
                             '/' + std::string{name} + '/' + std::to_string(i));
          !whole)
        return whole;
  }
  return check_no_placed_command(scenario);
}

} // namespace convene::host
