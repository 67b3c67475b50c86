#include <convene/protocol/boundary/boundary.hpp>
#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/typed_cursor.hpp>

#include <array>
#include <utility>

namespace convene::protocol::boundary {

result<std::shared_ptr<const rules>> make_rules(const schema_source& schemas) {
  constexpr std::array<std::string_view, 11> ids{
    "urn:convene:schema:native-event#/definitions/resolved_scenario",
    "urn:convene:schema:native-event#/definitions/reply",
    "https://schemas.mplp.dev/v1.0/mplp-collab.schema.json",
    "https://schemas.mplp.dev/v1.0/mplp-context.schema.json",
    "https://schemas.mplp.dev/v1.0/mplp-plan.schema.json",
    "https://schemas.mplp.dev/v1.0/mplp-confirm.schema.json",
    "https://schemas.mplp.dev/v1.0/mplp-dialog.schema.json",
    "https://schemas.mplp.dev/v1.0/mplp-trace.schema.json",
    "https://schemas.mplp.dev/v1.0/mplp-extension.schema.json",
    "https://schemas.mplp.dev/v1.0/mplp-core.schema.json",
    "https://schemas.mplp.dev/v1.0/mplp-network.schema.json"};
  std::vector<compiled_schema> all;
  for (const auto id : ids) {
    auto made = schemas(id);
    if (!made)
      return fail(std::move(made).error());
    all.push_back(*std::move(made));
  }
  auto gate = make_schema_gate(schemas, false);
  if (!gate)
    return fail(std::move(gate).error());
  auto every_line = make_schema_gate(schemas, true);
  if (!every_line)
    return fail(std::move(every_line).error());
  return std::make_shared<const rules>(
    rules{.scenario = all[0],
          .reply = all[1],
          .collab = all[2],
          .context = all[3],
          .plan = all[4],
          .confirm = all[5],
          .dialog = all[6],
          .trace = all[7],
          .extension = all[8],
          .core = all[9],
          .network = all[10],
          .gate = *std::move(gate),
          .every_line_gate = *std::move(every_line),
          .plain = plain_reply{all[1]}});
}

result<std::shared_ptr<const rules>> embedded_rules() {
  // Never destroyed: static objects may use it while the program ends.
  static const auto& made = *new auto(
    make_rules([](std::string_view id) { return embedded_schema(id); }));
  return made;
}

std::optional<error> check_reply(const rules& by, const reply& what) {
  if (by.plain.passes(what))
    return std::nullopt;
  const auto found = validate_typed(by.reply, validation::typed_cursor{what});
  if (found.valid)
    return std::nullopt;
  return to_error(found);
}

} // namespace convene::protocol::boundary
