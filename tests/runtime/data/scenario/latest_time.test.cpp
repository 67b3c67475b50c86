#include <catch2/catch.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/scenario/latest_time.hpp>
#include <support/specs.hpp>

#include <functional>

using namespace convene;
using namespace convene::test;

TEST_CASE("the latest time of a scenario is that of any of its documents") {
  const auto made = make_spec(protocol::mode::swarm, {"a", "b"});
  CHECK(protocol::format_timestamp(host::latest_time(made))
        == "2025-01-01T00:00:00.000Z");
  const std::string later = "2026-05-04T03:02:01Z";
  using changes = std::vector<std::function<void(session::spec&)>>;
  for (const auto& change :
       changes{[&](auto& s) { s.context.created_at = later; },
               [&](auto& s) { s.context.meta.updated_at = later; },
               [&](auto& s) { s.collab.created_at = later; },
               [&](auto& s) { s.collab.updated_at = later; },
               [&](auto& s) { s.plan.emplace().meta.created_at = later; },
               [&](auto& s) { s.confirm.emplace().requested_at = later; }}) {
    auto one = made;
    change(one);
    CHECK(protocol::format_timestamp(host::latest_time(one))
          == "2026-05-04T03:02:01.000Z");
  }
}

TEST_CASE("a time that leaves no room for a session does not count") {
  auto made = make_spec(protocol::mode::swarm, {"a", "b"});
  made.context.created_at = "9999-12-31T23:59:59Z";
  made.context.updated_at = "no time";
  CHECK(protocol::format_timestamp(host::latest_time(made))
        == "2025-01-01T00:00:00.000Z");
}
