#include <convene/session/spec/modules.hpp>
#include <convene/session/spec/network.hpp>
#include <convene/session/spec/refusal.hpp>
#include <convene/session/spec/security.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace convene::session {
namespace {

using protocol::confirm_status;
using protocol::extension;
using protocol::extension_status;
using protocol::module;
using protocol::result;

bool is_disabled(const protocol::module_descriptor& what) {
  return what.status == protocol::module_status::disabled;
}

/// Why the Core is without a module; empty: it has it.
std::string why_without(const protocol::core& of, module wanted) {
  const auto found = std::ranges::find(of.modules, wanted,
                                       &protocol::module_descriptor::module_id);
  const std::string name{to_word(wanted)};
  if (found == of.modules.end())
    return "the Core does not register the module " + name;
  return is_disabled(*found) ? "the Core has disabled the module " + name : "";
}

result<void> check_has(const protocol::core& of, module wanted, bool needed,
                       std::string_view what_for) {
  if (!needed)
    return {};
  const auto why = why_without(of, wanted);
  if (why.empty())
    return {};
  return refuse_start("core_module", "/core/modules",
                      why + ", which the session needs " + std::string{what_for}
                        + "; enable it, or leave the Core out",
                      to_word(wanted));
}

result<void> check_needed(const spec& what, const routing_policy& policy) {
  const auto& core = *what.core;
  const bool plans = what.plan || !what.tasks.empty() || policy.needs_plan;
  const bool confirms = what.confirm || !what.extension_confirms.empty();
  struct need {
    module which;
    bool needed;
    std::string_view what_for;
  };
  const need all[]{
    {module::context, true, "to run in its Context"},
    {module::collab, true, "to be a Collab"},
    {module::dialog, true, "to keep what is said"},
    {module::trace, true, "to write its Trace"},
    {module::plan, plans, "for its steps"},
    {module::confirm, confirms, "for its approvals"},
    {module::role, !what.roles.empty(), "for its Roles"},
    {module::extension, !what.extensions.empty(), "for its Extensions"},
    {module::network, what.network.has_value(), "for its Network"}};
  for (const auto& [which, needed, what_for] : all)
    if (auto ok = check_has(core, which, needed, what_for); !ok)
      return ok;
  return {};
}

result<void> check_versions(const spec& what) {
  const auto& version = what.core->protocol_version;
  result<void> all;
  const auto compare = [&](const protocol::metadata& meta,
                           const std::string& name) {
    if (all && meta.protocol_version != version)
      all = refuse_start(
        "protocol_versions_mixed", '/' + name + "/meta/protocol_version",
        "the Core is of protocol version " + version
          + ", and all documents of a session are of one version",
        meta.protocol_version);
  };
  const auto compare_each = [&](const auto& documents,
                                const std::string& name) {
    for (std::size_t i = 0; i < documents.size(); ++i)
      compare(documents[i].meta, name + '/' + std::to_string(i));
  };
  compare(what.core->meta, "core");
  compare(what.context.meta, "context");
  compare(what.collab.meta, "collab");
  if (what.plan)
    compare(what.plan->meta, "plan");
  if (what.confirm)
    compare(what.confirm->meta, "confirm");
  compare_each(what.roles, "roles");
  compare_each(what.extensions, "extensions");
  compare_each(what.extension_confirms, "extension_confirms");
  if (what.network)
    compare(what.network->meta, "network");
  return all;
}

result<void> check_core(const spec& what, const routing_policy& policy) {
  if (!what.core)
    return {};
  using protocol::core_status;
  const auto& core = *what.core;
  if (core.status != core_status::active
      && core.status != core_status::deprecated)
    return refuse_start("core_status", "/core/status",
                        "an instance works only while its Core is active or "
                        "deprecated",
                        to_word(core.status));
  std::set<module> seen;
  for (std::size_t i = 0; i < core.modules.size(); ++i)
    if (!seen.insert(core.modules[i].module_id).second)
      return refuse_start("core_module_unique",
                          "/core/modules/" + std::to_string(i) + "/module_id",
                          "the Core registers this module twice",
                          to_word(core.modules[i].module_id));
  if (auto ok = check_versions(what); !ok)
    return ok;
  return check_needed(what, policy);
}

result<void> check_confirmed(const spec& what, const extension& one,
                             const std::string& at) {
  if (!is_to_confirm(one))
    return {};
  const auto* confirm = confirm_of(what, one);
  if (confirm == nullptr || confirm->status == confirm_status::pending)
    return refuse_start(
      "extension_confirmed", at + "/status",
      "an Extension that can act is used once it is approved; "
      "give an approved Confirm about it in extension_confirms, "
      "for example by --approval require",
      one.name);
  if (confirm->status != confirm_status::approved)
    return refuse_start("extension_confirmed", at + "/status",
                        "the Extension was not approved: its Confirm is "
                          + std::string{to_word(confirm->status)},
                        one.name);
  if (!is_secured(what))
    return {};
  const auto number = confirm - what.extension_confirms.data();
  return check_decisions(what, *confirm,
                         "/extension_confirms/" + std::to_string(number));
}

result<void> check_extensions(const spec& what) {
  std::set<std::string_view> ids;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < what.extensions.size(); ++i) {
    const auto& one = what.extensions[i];
    const auto at = "/extensions/" + std::to_string(i);
    if (!ids.insert(one.extension_id).second)
      return refuse_start("extension_unique", at + "/extension_id",
                          "two Extensions have the same id", one.extension_id);
    if (!names.insert(one.name).second)
      return refuse_start(
        "extension_unique", at + "/name",
        "two Extensions have the same name; give each its own", one.name);
    if (one.context_id != what.context.context_id)
      return refuse_start("context_binding", at + "/context_id",
                          "the Extension belongs to another context than the "
                          "session",
                          one.context_id);
    if (one.status == extension_status::registered && one.governance
        && one.governance->locked.value_or(false))
      return refuse_start(
        "locked", at + "/governance/locked",
        "governance.locked freezes the Extension, and the session "
        "would activate it",
        one.name);
    if (auto ok = check_confirmed(what, one, at); !ok)
      return ok;
  }
  return {};
}

result<void> check_extension_confirms(const spec& what) {
  std::set<std::string_view> extensions;
  for (const auto& one : what.extensions)
    extensions.insert(one.extension_id);
  std::set<std::string_view> decided;
  std::set<std::string_view> confirms;
  if (what.confirm)
    confirms.insert(what.confirm->confirm_id);
  for (std::size_t i = 0; i < what.extension_confirms.size(); ++i) {
    const auto& one = what.extension_confirms[i];
    const auto at = "/extension_confirms/" + std::to_string(i) + "/target_id";
    if (one.target_type != protocol::confirm_target::extension
        || !extensions.contains(one.target_id))
      return refuse_start(
        "extension_confirmed", at,
        "the Confirm is about none of the session's Extensions", one.target_id);
    if (!confirms.insert(one.confirm_id).second)
      return refuse_start("extension_unique",
                          "/extension_confirms/" + std::to_string(i)
                            + "/confirm_id",
                          "two Confirms have the same id", one.confirm_id);
    if (!decided.insert(one.target_id).second)
      return refuse_start(
        "extension_confirmed", at,
        "two Confirms are about this Extension; keep the one that "
        "counts",
        one.target_id);
  }
  return {};
}

/// Whether its config is a behaviour or an MCP server. That some behaviours
/// stay inside is not for the session to know.
bool can_act(const extension& what) {
  return what.config
         && (what.config->contains("type") || what.config->contains("command"));
}

} // namespace

bool is_to_confirm(const extension& what) noexcept {
  using enum protocol::extension_type;
  if (what.status == extension_status::registered)
    return can_act(what) || what.extension_type == capability
           || what.extension_type == integration;
  return what.status == extension_status::active && can_act(what);
}

const protocol::confirm* confirm_of(const spec& what,
                                    const extension& of) noexcept {
  const auto& all = what.extension_confirms;
  const auto found = std::ranges::find(all, of.extension_id,
                                       &protocol::confirm::target_id);
  return found == all.end() ? nullptr : &*found;
}

result<void> check_modules(const spec& what, const routing_policy& policy) {
  if (auto ok = check_core(what, policy); !ok)
    return ok;
  if (auto ok = check_extensions(what); !ok)
    return ok;
  if (auto ok = check_extension_confirms(what); !ok)
    return ok;
  return check_network(what);
}

std::optional<protocol::reply_error>
why_no_module(const spec& what, const protocol::reply& said) {
  if (said.tasks.empty() || !what.core)
    return std::nullopt;
  auto why = why_without(*what.core, module::plan);
  if (why.empty())
    return std::nullopt;
  return protocol::reply_error{"core_module",
                               std::move(why) + "; leave `tasks` out"};
}

std::vector<extension> active_extensions(std::vector<extension> given) {
  for (auto& one : given)
    if (one.status == extension_status::registered)
      one.status = extension_status::active;
  return given;
}

} // namespace convene::session
