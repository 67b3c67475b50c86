#include <catch2/catch.hpp>
#include <convene/session/requests/turn_terms.hpp>

using namespace convene::session;

namespace {

turn_terms only(std::initializer_list<const char*> ids) {
  turn_terms made{.limited = true};
  for (const auto* id : ids)
    made.resources.push_back({"file", id});
  return made;
}

} // namespace

TEST_CASE("a limited turn may write what it names, any other everything") {
  CHECK(may_write(turn_terms{}, {"file", "x"}));
  CHECK(may_write(only({"a", "b"}), {"file", "b"}));
  CHECK_FALSE(may_write(only({"a", "b"}), {"file", "c"}));
  CHECK_FALSE(may_write(only({"a"}), {"note", "a"}));
  CHECK_FALSE(may_write(only({}), {"file", "a"}));
}

TEST_CASE("turns are open at once only if their resources are apart") {
  const turn_terms anything;
  const auto a = only({"a"});
  const auto b = only({"b"});
  const auto both = only({"a", "b"});
  open_resources alone;
  CHECK_FALSE(alone.add(anything));
  CHECK(alone.add(a));
  open_resources apart;
  CHECK_FALSE(apart.add(a));
  CHECK_FALSE(apart.add(b));
  CHECK(apart.add(both));
  CHECK(apart.add(anything));
}

TEST_CASE("one handoff at a time is open beside turns that name resources") {
  const turn_terms anything;
  const turn_terms handoff{.depth = 1};
  const auto a = only({"a"});
  CHECK(may_write(handoff, {"file", "a"}));
  open_resources beside;
  CHECK_FALSE(beside.add(a));
  CHECK_FALSE(beside.add(handoff));
  CHECK_FALSE(beside.add(only({"b"})));
  CHECK(beside.add(only({"a"})));
  CHECK(beside.add(handoff));
  CHECK(beside.add(anything));
  open_resources after;
  CHECK_FALSE(after.add(anything));
  CHECK(after.add(handoff));
}
