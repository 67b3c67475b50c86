#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/json_schema/typed_cursor.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <convene/runtime/data/scenario/check_scenario.hpp>

#include <string>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

result<void> check_is_scenario(const json::object& scenario) {
  constexpr std::string_view prefix = "mplp-";
  if (scenario.contains("compensations"))
    return fail({.code = errc::invalid_document,
                 .message = "only a single agent's run is rolled back: leave "
                            "it out, or run the scenario with --profile sa",
                 .pointer = "/compensations",
                 .rule = "single_agent"});
  const auto schema = official_schema(scenario);
  if (scenario.contains("collab") || !is_module_schema(schema))
    return {};
  return fail({.code = errc::invalid_document,
               .message = "this is an MPLP document of kind "
                          + std::string{schema.substr(prefix.size())}
                          + ", not a scenario: run the folder that holds it "
                            "with context.json and collab.json, or a scenario "
                            "that names it",
               .rule = "scenario"});
}

void drop_null_roles(json::object& scenario) {
  auto* const collab = object_in(scenario, "collab");
  auto* const all = collab == nullptr ? nullptr
                                      : array_in(*collab, "participants");
  if (all == nullptr)
    return;
  for (auto& each : *all)
    if (auto* const who = each.if_object())
      if (const auto* const role = who->if_contains("role_id");
          role != nullptr && role->is_null())
        who->erase("role_id");
}

result<void> validate_scenario(const json::object& scenario) {
  const auto schema = embedded_schema("convene-scenario");
  if (!schema)
    return fail(schema.error());
  const auto found = validate_typed(*schema,
                                    validation::typed_cursor{scenario});
  if (found.valid)
    return {};
  auto why = boundary::to_error(found);
  if (why.rule == "required" && why.pointer.starts_with("/collab/participants/")
      && why.message.ends_with("\"role_id\""))
    why.message += ": the schema of a Collab leaves it optional, as the sample "
                   "in its first description does, but the MAP profile "
                   "requires it; any word will do, such as \"role-agent\"";
  return fail(std::move(why));
}

} // namespace convene::host
