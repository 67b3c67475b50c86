#include <catch2/catch.hpp>
#include <convene/session/conflicts/permission.hpp>
#include <support/specs.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

TEST_CASE("only a role with a list of capabilities is limited to it") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  using list = std::vector<std::string>;
  what.roles
    = {{.role_id = "role-a", .name = "one", .capabilities = list{"file.write"}},
       {.role_id = "role-b", .name = "two"}};
  permissions all;
  CHECK(all.may_write(what, 0, "file"));
  CHECK_FALSE(all.may_write(what, 0, "note"));
  CHECK(all.may_write(what, 1, "note"));
  CHECK(all.may_write(what, 2, "note"));
}
