#include <catch2/catch.hpp>
#include <convene/session/spec/activation.hpp>
#include <convene/session/spec/modules.hpp>
#include <convene/session/spec/network.hpp>
#include <support/specs.hpp>

#include <functional>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::mode;
using protocol::module;

namespace {

const routing_policy turns_policy{.name = "plain"};

protocol::core make_core(std::vector<module> modules) {
  protocol::core made{.core_id = id(40),
                      .status = protocol::core_status::active};
  for (const auto each : modules)
    made.modules.push_back({.module_id = each});
  return made;
}

const std::vector<module> basic{module::context, module::collab, module::dialog,
                                module::trace};

spec plain_session() {
  return make_spec(mode::round_robin, {"a", "b"});
}

protocol::extension make_extension(protocol::extension_type type
                                   = protocol::extension_type::integration) {
  return {.extension_id = id(50),
          .context_id = id(1),
          .name = "files",
          .extension_type = type};
}

protocol::confirm make_confirm(protocol::confirm_status status
                               = protocol::confirm_status::approved) {
  return {.confirm_id = id(51),
          .target_type = protocol::confirm_target::extension,
          .target_id = id(50),
          .status = status,
          .requested_by_role = "role-b",
          .requested_at = "2025-01-01T00:00:00Z",
          .decisions = std::vector<protocol::confirm_decision>{
            {.decision_id = id(52),
             .decided_by_role = "role-a",
             .decided_at = "2025-01-01T00:00:00Z"}}};
}

protocol::network make_network(std::vector<protocol::network_node> nodes) {
  return {.network_id = id(60),
          .context_id = id(1),
          .name = "here",
          .status = protocol::network_status::active,
          .nodes = std::move(nodes)};
}

/// Rule and pointer of the refusal; empty if the session may start.
std::string module_refusal(const spec& what) {
  const auto allowed = may_activate(what, make_roster(what), turns_policy);
  if (allowed)
    return {};
  const auto& why = allowed.error();
  CHECK(why.code == protocol::errc::activation_refused);
  CHECK_FALSE(why.message.empty());
  return why.rule + ' ' + why.pointer;
}

} // namespace

TEST_CASE("a session runs with the modules that it needs, and not without") {
  auto what = plain_session();
  what.core = make_core(basic);
  CHECK(module_refusal(what) == "");
  for (std::size_t i = 0; i < basic.size(); ++i) {
    INFO(to_word(basic[i]));
    auto lacking = basic;
    lacking.erase(lacking.begin() + static_cast<std::ptrdiff_t>(i));
    what.core = make_core(lacking);
    CHECK(module_refusal(what) == "core_module /core/modules");
    what.core = make_core(basic);
    what.core->modules[i].status = protocol::module_status::disabled;
    CHECK(module_refusal(what) == "core_module /core/modules");
    what.core->modules[i].status = protocol::module_status::experimental;
    CHECK(module_refusal(what) == "");
  }
}

TEST_CASE("what a session brings needs its module") {
  struct brought {
    module which;
    std::function<void(spec&)> bring;
  };
  const brought all[]{
    {module::plan,
     [](spec& to) {
       to.plan = make_plan({{"one", "", {}}});
     }},
    {module::plan, [](spec& to) { to.tasks = {{.title = "more"}}; }},
    {module::role,
     [](spec& to) { to.roles = {{.role_id = id(20), .name = "role-a"}}; }},
    {module::extension,
     [](spec& to) {
       to.extensions = {make_extension(protocol::extension_type::other)};
     }},
    {module::network, [](spec& to) { to.network = make_network({}); }}};
  for (const auto& [which, bring] : all) {
    INFO(to_word(which));
    auto what = plain_session();
    bring(what);
    CHECK(module_refusal(what) == "");
    what.core = make_core(basic);
    CHECK(module_refusal(what) == "core_module /core/modules");
    what.core->modules.push_back({.module_id = which});
    CHECK(module_refusal(what) == "");
  }
}

TEST_CASE("a Core that is no use is refused") {
  auto what = plain_session();
  what.core = make_core(basic);
  what.core->status = protocol::core_status::deprecated;
  CHECK(module_refusal(what) == "");
  for (const auto status :
       {protocol::core_status::draft, protocol::core_status::archived}) {
    what.core->status = status;
    CHECK(module_refusal(what) == "core_status /core/status");
  }
  what.core = make_core(basic);
  what.core->modules.push_back({.module_id = module::dialog});
  CHECK(module_refusal(what) == "core_module_unique /core/modules/4/module_id");
  what.core = make_core(basic);
  what.core->protocol_version = "1.0.1";
  CHECK(module_refusal(what)
        == "protocol_versions_mixed /core/meta/protocol_version");
  what.core->meta.protocol_version = "1.0.1";
  CHECK(module_refusal(what)
        == "protocol_versions_mixed /context/meta/protocol_version");
}

TEST_CASE("a Core is of the version of each document of its session") {
  const auto refusal_with = [](const std::function<void(spec&)>& change) {
    auto what = plain_session();
    what.core = make_core(basic);
    for (const auto which : {module::plan, module::confirm, module::role,
                             module::extension, module::network})
      what.core->modules.push_back({.module_id = which});
    what.plan = make_plan({{"one", "", {}}});
    what.confirm = make_confirm();
    what.confirm->confirm_id = id(55);
    what.confirm->target_type = protocol::confirm_target::plan;
    what.confirm->target_id = what.plan->plan_id;
    what.roles = {{.role_id = id(20), .name = "role-a"},
                  {.role_id = id(21), .name = "role-b"}};
    what.extensions = {make_extension()};
    what.extension_confirms = {make_confirm()};
    what.network = make_network({});
    change(what);
    return module_refusal(what);
  };
  CHECK(refusal_with([](spec&) {}) == "");
  const std::pair<std::string, std::function<protocol::metadata&(spec&)>> all[]{
    {"plan", [](spec & of) -> auto& {return of.plan->meta;
}
}
, {"confirm", [](spec& of) -> auto& {return of.confirm->meta;
}
}
, {"roles/1", [](spec& of) -> auto& {return of.roles[1].meta;
}
}
, {"extensions/0", [](spec& of) -> auto& {return of.extensions[0].meta;
}
}
, {"extension_confirms/0",
   [](spec& of) -> auto& {return of.extension_confirms[0].meta;
}
}
, {
  "network", [](spec & of) -> auto& {
    return of.network->meta;
  }
}
}
;
for (const auto& [name, meta_of] : all) {
  INFO(name);
  CHECK(refusal_with([&](spec& of) { meta_of(of).protocol_version = "1.0.1"; })
        == "protocol_versions_mixed /" + name + "/meta/protocol_version");
}
}

TEST_CASE("tasks of a reply need the module plan") {
  auto what = plain_session();
  protocol::reply said{.tasks = {{.title = "more"}}};
  CHECK_FALSE(why_no_module(what, said));
  what.core = make_core(basic);
  REQUIRE(why_no_module(what, said));
  CHECK(why_no_module(what, said)->code == "core_module");
  CHECK_FALSE(why_no_module(what, {}));
  what.core->modules.push_back({.module_id = module::plan});
  CHECK_FALSE(why_no_module(what, said));
}

TEST_CASE("what can act becomes active once it is approved") {
  using protocol::confirm_status;
  auto what = plain_session();
  what.extensions = {make_extension()};
  CHECK(module_refusal(what) == "extension_confirmed /extensions/0/status");
  for (const auto status : {confirm_status::pending, confirm_status::rejected,
                            confirm_status::cancelled}) {
    what.extension_confirms = {make_confirm(status)};
    CHECK(module_refusal(what) == "extension_confirmed /extensions/0/status");
  }
  what.extension_confirms = {make_confirm()};
  CHECK(module_refusal(what) == "");
  const auto after = active_extensions(what.extensions);
  CHECK(after.front().status == protocol::extension_status::active);
}

TEST_CASE("only what becomes active and can act is to be approved") {
  using protocol::extension_status;
  using protocol::extension_type;
  for (const auto type :
       {extension_type::policy, extension_type::transformation,
        extension_type::validation, extension_type::other}) {
    auto what = plain_session();
    what.extensions = {make_extension(type)};
    CHECK(module_refusal(what) == "");
  }
  for (const auto status :
       {extension_status::active, extension_status::inactive,
        extension_status::deprecated}) {
    auto what = plain_session();
    what.extensions = {make_extension(extension_type::capability)};
    what.extensions.front().status = status;
    CHECK(module_refusal(what) == "");
    CHECK(active_extensions(what.extensions).front().status == status);
  }
}

TEST_CASE("what can act is told by its config, whatever its type says") {
  using protocol::extension_status;
  using protocol::extension_type;
  const protocol::json::object behaviour{{"type", "process"}};
  const protocol::json::object server{{"command", {"serve"}}};
  for (const auto& config : {behaviour, server})
    for (const auto type : {extension_type::other, extension_type::policy,
                            extension_type::integration})
      for (const auto status :
           {extension_status::registered, extension_status::active}) {
        auto what = plain_session();
        what.extensions = {make_extension(type)};
        what.extensions.front().status = status;
        what.extensions.front().config = config;
        CHECK(module_refusal(what)
              == "extension_confirmed /extensions/0/status");
        what.extension_confirms = {make_confirm()};
        CHECK(module_refusal(what) == "");
        what.extension_confirms.clear();
        what.extensions.front().status = extension_status::inactive;
        CHECK(module_refusal(what) == "");
      }
  auto what = plain_session();
  what.extensions = {make_extension(extension_type::policy)};
  what.extensions.front().config = protocol::json::object{{"words", 80}};
  CHECK(module_refusal(what) == "");
}

TEST_CASE("two Confirms about one Extension are refused") {
  auto what = plain_session();
  what.extensions = {make_extension()};
  what.extension_confirms = {make_confirm(),
                             make_confirm(protocol::confirm_status::rejected)};
  what.extension_confirms.back().confirm_id = id(55);
  CHECK(module_refusal(what)
        == "extension_confirmed /extension_confirms/1/target_id");
}

TEST_CASE("with security an active Extension that can act needs a decision") {
  auto what = plain_session();
  what.collab.meta.cross_cutting = std::vector<std::string>{"security"};
  what.roles = {{.role_id = id(20),
                 .name = "role-a",
                 .capabilities = std::vector<std::string>{"collab.join",
                                                          "confirm.approve"}},
                {.role_id = id(21),
                 .name = "role-b",
                 .capabilities = std::vector<std::string>{"collab.join"}}};
  what.extensions = {make_extension(protocol::extension_type::other)};
  what.extensions.front().status = protocol::extension_status::active;
  CHECK(module_refusal(what) == "");
  what.extensions.front().config
    = protocol::json::object{{"command", {"serve"}}};
  CHECK(module_refusal(what) == "extension_confirmed /extensions/0/status");
  what.extension_confirms = {make_confirm()};
  CHECK(module_refusal(what) == "");
  what.extension_confirms.front().decisions.reset();
  CHECK(module_refusal(what)
        == "extension_confirmed /extension_confirms/0/decisions");
}

TEST_CASE("with security somebody who may has approved an Extension") {
  auto what = plain_session();
  const std::vector<std::string> duties{"security"};
  what.core
    = make_core({module::context, module::collab, module::dialog, module::trace,
                 module::extension, module::confirm, module::role});
  what.core->meta.cross_cutting = duties;
  what.roles = {{.role_id = id(20), .name = "role-a"},
                {.role_id = id(21), .name = "role-b"}};
  what.extensions = {make_extension()};
  what.extension_confirms = {make_confirm()};
  const std::string at = "/extension_confirms/0/decisions";
  CHECK(module_refusal(what)
        == "capability_missing " + at + "/0/decided_by_role");
  what.roles[0].capabilities = std::vector<std::string>{"confirm.approve"};
  CHECK(module_refusal(what) == "");
  what.extension_confirms[0].requested_by_role = "role-a";
  CHECK(module_refusal(what) == "own_confirm " + at + "/0/decided_by_role");
  what.extension_confirms[0].requested_by_role = "role-b";
  what.extension_confirms[0].decisions.reset();
  CHECK(module_refusal(what) == "extension_confirmed " + at);
  what.core->meta.cross_cutting.reset();
  CHECK(module_refusal(what) == "");
}

TEST_CASE("two Confirms of one id are refused") {
  auto what = plain_session();
  what.extensions = {make_extension()};
  what.extension_confirms = {make_confirm(), make_confirm()};
  CHECK(module_refusal(what)
        == "extension_unique /extension_confirms/1/confirm_id");
  what.extension_confirms.pop_back();
  CHECK(module_refusal(what) == "");
}

TEST_CASE("Extensions are told apart, and are of the session's Context") {
  auto what = plain_session();
  what.extensions = {make_extension(protocol::extension_type::other),
                     make_extension(protocol::extension_type::other)};
  CHECK(module_refusal(what) == "extension_unique /extensions/1/extension_id");
  what.extensions[1].extension_id = id(53);
  CHECK(module_refusal(what) == "extension_unique /extensions/1/name");
  what.extensions[1].name = "others";
  CHECK(module_refusal(what) == "");
  what.extensions[1].context_id = id(9);
  CHECK(module_refusal(what) == "context_binding /extensions/1/context_id");
  what.extensions.pop_back();
  what.extensions[0].governance = protocol::governance{.locked = true};
  CHECK(module_refusal(what) == "locked /extensions/0/governance/locked");
  what.extensions[0].governance.reset();
  what.extension_confirms = {make_confirm()};
  what.extension_confirms[0].target_id = id(54);
  CHECK(module_refusal(what)
        == "extension_confirmed /extension_confirms/0/target_id");
  what.extension_confirms[0].target_id = id(50);
  what.extension_confirms[0].target_type = protocol::confirm_target::plan;
  CHECK(module_refusal(what)
        == "extension_confirmed /extension_confirms/0/target_id");
}

TEST_CASE("a Network that is no use is refused") {
  using enum protocol::network_status;
  auto what = plain_session();
  what.network = make_network({{.node_id = id(61)}});
  for (const auto status : {provisioning, active, degraded}) {
    what.network->status = status;
    CHECK(module_refusal(what) == "");
  }
  for (const auto status : {draft, maintenance, retired}) {
    what.network->status = status;
    CHECK(module_refusal(what) == "network_status /network/status");
  }
  what.network = make_network({{.node_id = id(61)}, {.node_id = id(61)}});
  CHECK(module_refusal(what) == "network_node_unique /network/nodes/1/node_id");
  std::vector<protocol::network_node> many(network_nodes_max + 1);
  what.network = make_network(many);
  CHECK(module_refusal(what) == "network_nodes_max /network/nodes");
  what.network = make_network({});
  what.network->context_id = id(9);
  CHECK(module_refusal(what) == "context_binding /network/context_id");
}

TEST_CASE("a node of a name and a role has the participants of both") {
  using protocol::node_status;
  auto what = make_spec(mode::round_robin, {"a", "b", "c"});
  what.collab.participants[2].role_id = "role-b";
  what.network
    = make_network({{.node_id = id(61), .name = "a", .role_id = "role-b"},
                    {.node_id = id(62), .name = "a"}});
  membership who{what, make_roster(what)};
  who.lose(0);
  auto after = network_after(what.network, who);
  CHECK(after->nodes->at(0).status == node_status::active);
  CHECK(after->nodes->at(1).status == node_status::unreachable);
  who.lose(1);
  who.lose(2);
  after = network_after(what.network, who);
  CHECK(after->nodes->at(0).status == node_status::unreachable);
}

TEST_CASE("a Network shows who was lost") {
  using protocol::node_status;
  auto what = plain_session();
  what.network = make_network({{.node_id = id(61), .name = "a"},
                               {.node_id = id(62), .role_id = "role-b"},
                               {.node_id = id(63), .role_id = "role-a"},
                               {.node_id = id(64), .name = "a store"}});
  what.network->nodes->at(1).status = node_status::unreachable;
  membership who{what, make_roster(what)};
  auto after = network_after(what.network, who);
  CHECK(after->nodes->at(0).status == node_status::active);
  CHECK(after->nodes->at(1).status == node_status::active);
  CHECK(after->status == protocol::network_status::active);
  who.lose(0);
  after = network_after(what.network, who);
  CHECK(after->nodes->at(0).status == node_status::unreachable);
  CHECK(after->nodes->at(1).status == node_status::active);
  // a is on the node of its name alone.
  CHECK(after->nodes->at(2).status == node_status::active);
  CHECK(after->status == protocol::network_status::degraded);
  after->status = protocol::network_status::provisioning;
  CHECK(network_after(after, who)->status
        == protocol::network_status::provisioning);
  CHECK_FALSE(network_after(std::nullopt, who));
}
