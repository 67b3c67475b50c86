#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/protocol/lifecycle/document_change.hpp>

#include <map>
#include <string>
#include <vector>

namespace convene::tests {

using namespace convene::protocol;

/// The n-th id of a test.
inline std::string id(int n) {
  return to_string(derive_uuid({1, 2}, 0, static_cast<std::uint64_t>(n)));
}

inline json::object object(std::string_view text) {
  return json::parse(text).as_object();
}

/// The violations by an embedded schema, a line each; none: it is valid.
inline std::string violations(std::string_view schema,
                              const json::value& document) {
  const auto compiled = embedded_schema(schema);
  REQUIRE(compiled);
  std::string all;
  for (const auto& found : validate(*compiled, document).violations)
    all += found.text + '\n';
  return all;
}

/// Objects that refer to each other.
class all_documents {
public:
  /// Puts an object there, or in place of the one with its id.
  json::object& put(module which, json::object what) {
    const auto member = std::string{find_lifecycle(which).id_member};
    const std::string key{what.at(member).as_string()};
    return objects_[which][key] = std::move(what);
  }

  [[nodiscard]] object_lookup lookup() const {
    return {.find = [this](module which,
                           std::string_view key) -> const json::object* {
              const auto kind = objects_.find(which);
              if (kind == objects_.end())
                return nullptr;
              for (const auto& [name, what] : kind->second)
                if (name == key
                    || (which == module::role && text_of(what, "name") == key))
                  return &what;
              return nullptr;
            },
            .confirm_about
            = [this](std::string_view target) -> const json::object* {
              const auto kind = objects_.find(module::confirm);
              if (kind == objects_.end())
                return nullptr;
              for (const auto& [name, what] : kind->second)
                if (text_of(what, "target_id") == target)
                  return &what;
              return nullptr;
            }};
  }

private:
  std::map<module, std::map<std::string, json::object>> objects_;
};

/// A document of each module, valid by its schema, in its first status. They
/// have id(n) for the n-th module, and are in the Context id(0).
inline json::object make(module which) {
  const auto& of = find_lifecycle(which);
  json::object made{
    {"meta", {{"protocol_version", "1.0.0"}, {"schema_version", "1.0.0"}}},
    {of.id_member, id(static_cast<int>(which))}};
  if (!of.initial.empty())
    made["status"] = of.initial;
  const auto fill = [&](std::string_view members) {
    for (const auto& [name, value] : object(members))
      made[name] = value;
  };
  switch (which) {
    case module::context:
      fill(R"({"title": "t", "root": {"domain": "d", "environment": "e"}})");
      return made;
    case module::plan:
      fill(R"({"title": "t", "objective": "o"})");
      made["steps"] = json::array{
        {{"step_id", id(21)}, {"description", "a"}, {"status", "pending"}},
        {{"step_id", id(22)},
         {"description", "b"},
         {"status", "pending"},
         {"dependencies", json::array{id(21)}}}};
      break;
    case module::confirm:
      fill(R"({"target_type": "plan", "requested_by_role": "lead",
               "requested_at": "2026-01-01T00:00:00.000Z"})");
      made["target_id"] = id(static_cast<int>(module::plan));
      return made;
    case module::trace:
      made["root_span"] = {{"trace_id", id(3)}, {"span_id", id(31)}};
      made["segments"] = json::array{
        {{"segment_id", id(32)}, {"label", "a"}, {"status", "pending"}}};
      break;
    case module::role:
      fill(R"({"name": "coder", "capabilities": ["plan.read"]})");
      return made;
    case module::extension:
      fill(R"({"name": "e", "extension_type": "policy", "version": "1.0.0"})");
      break;
    case module::dialog:
      fill(R"({"messages": []})");
      break;
    case module::collab:
      fill(R"({"title": "t", "purpose": "p", "mode": "round_robin",
               "created_at": "2026-01-01T00:00:00.000Z", "participants": [
               {"participant_id": "a", "kind": "agent", "role_id": "coder"},
               {"participant_id": "b", "kind": "human", "role_id": "lead"}]})");
      break;
    case module::core:
      fill(R"({"protocol_version": "1.0.0", "modules": [
               {"module_id": "plan", "version": "1.0.0", "status": "enabled",
                "required": true},
               {"module_id": "dialog", "version": "1.0.0",
                "status": "enabled"}]})");
      return made;
    case module::network:
      fill(R"({"name": "n", "topology_type": "mesh"})");
      made["nodes"] = json::array{
        {{"node_id", id(91)}, {"kind", "agent"}, {"status", "active"}}};
      break;
  }
  made["context_id"] = id(static_cast<int>(module::context));
  return made;
}

/// Everything there, the Context active.
inline all_documents full_world() {
  all_documents all;
  for (const auto word : words_of<module>)
    all.put(*from_word<module>(word), make(*from_word<module>(word)));
  all.put(module::context, make(module::context))["status"] = "active";
  return all;
}

} // namespace convene::tests
