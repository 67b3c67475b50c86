#include <catch2/catch.hpp>
#include <convene/session/spec/role_ids.hpp>
#include <support/specs.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

protocol::role role_named(std::uint64_t number, std::string name) {
  return {.role_id = id(number), .name = std::move(name)};
}

/// Two participants, the first by its Role's id and the other by its name.
spec with_roles() {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.collab.participants[0].role_id = id(20);
  what.roles = {role_named(20, "coder"), role_named(21, "role-b")};
  return what;
}

} // namespace

TEST_CASE("where Roles are given, each role_id is the id or name of one") {
  auto what = with_roles();
  CHECK(check_role_ids(what));
  what.collab.participants[1].role_id = "role-bb";
  const auto refused = check_role_ids(what);
  REQUIRE_FALSE(refused);
  const auto& why = refused.error();
  CHECK(why.code == protocol::errc::activation_refused);
  CHECK(why.rule == "known_role");
  CHECK(why.pointer == "/collab/participants/1/role_id");
  CHECK(why.value == "role-bb");
  CHECK_THAT(why.message, Catch::Contains("did you mean \"role-b\"?"));
}

TEST_CASE("without Roles any word is a role") {
  auto what = with_roles();
  what.roles.clear();
  what.collab.participants[1].role_id = "whatever";
  CHECK(check_role_ids(what));
}

TEST_CASE("the nodes of a Network have known roles, too, if they have any") {
  auto what = with_roles();
  what.network = protocol::network{
    .nodes = std::vector<protocol::network_node>{
      {.node_id = id(61)}, {.node_id = id(62), .role_id = "coder"}}};
  CHECK(check_role_ids(what));
  what.network->nodes->back().role_id = "tester";
  const auto refused = check_role_ids(what);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == "/network/nodes/1/role_id");
}

TEST_CASE("a single agent's participants have the roles that its plan names") {
  auto what = with_roles();
  what.collab.participants[1].role_id = "executor";
  what.options.policy = "single_agent_skip";
  CHECK(check_role_ids(what));
}
