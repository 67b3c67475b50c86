#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/rewriting.hpp>
#include <convene/protocol/strict/shape.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::protocol {
namespace {

/// V1's page shows names that the schemas forbid (C-28).
constexpr std::array file_names{respelling{"old_path", "previous_path"}};
constexpr std::array git_names{respelling{"commit_sha", "commit_id"}};
constexpr std::array ci_names{respelling{"commit_sha", "commit_id"},
                              respelling{"build_url", "run_url"},
                              respelling{"trigger_event", "trigger_kind"}};
constexpr std::array tool_names{respelling{"output", "output_summary"}};

std::span<const respelling> names_of(std::string_view schema) {
  if (schema == "mplp-file-update-event")
    return file_names;
  if (schema == "mplp-git-event")
    return git_names;
  if (schema == "mplp-ci-event")
    return ci_names;
  return tool_names;
}

bool has_unknown(const json::object& event, std::string_view schema) {
  const auto* how = official_shape(schema);
  return std::ranges::any_of(event, [how](const auto& member) {
    return how->member(member.key()) == nullptr;
  });
}

} // namespace

official_form rewrite_integration(const rewriting& r, json::object event,
                                  std::string_view schema) {
  const bool renamed = rename_members(r, event, "", names_of(schema));
  const auto* source = event.if_contains("source");
  if (source != nullptr)
    r.notes.add({"/source", "moved",
                 "taken as the source of an event of the family "
                 "external_integration"});
  if (!r.exporting()) {
    event.stable_erase("source");
    return {schema, std::move(event)};
  }
  // A closed event has no place for what it was natively; an envelope has.
  if (!renamed && !has_unknown(event, schema))
    return {schema, std::move(event)};
  json::object envelope{
    {"event_id", to_string(hashed_uuid("external\n" + std::to_string(r.ordinal)
                                       + '\n' + json::serialize(event)))},
    {"event_type", schema.substr(std::string_view{"mplp-"}.size())},
    {"event_family", "external_integration"}};
  for (const auto* name : {"timestamp", "completed_at", "started_at"})
    if (const auto time = text_of(event, name); !time.empty()) {
      envelope["timestamp"] = time;
      break;
    }
  if (source != nullptr)
    envelope["source"] = *source;
  event.stable_erase("source");
  envelope["native"] = json::object{};
  envelope["payload"] = std::move(event);
  return {"mplp-event-core", std::move(envelope), schema};
}

} // namespace convene::protocol
