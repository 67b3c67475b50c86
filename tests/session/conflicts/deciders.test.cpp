#include <catch2/catch.hpp>
#include <convene/session/conflicts/deciders.hpp>
#include <support/part_rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using enum conflict_strategy;

namespace {

using participants = std::vector<participant_index>;

session::spec of_four(std::map<std::string, std::int64_t> ranks = {}) {
  auto made = make_spec(protocol::mode::swarm, {"a", "b", "c", "d"});
  made.options.conflicts.ranks = std::move(ranks);
  return made;
}

/// "a" wrote what stands, "b" writes against it.
const write_conflict by_a{.authors = {{.participant = 0}}};

resolution ask(conflict_strategy how) {
  return {.outcome = resolution_kind::ask, .strategy = how};
}

} // namespace

TEST_CASE("all that have no part in a conflict vote about it") {
  part_rig on{of_four()};
  participants who;
  const auto ruled = find_deciders(on.who, ask(voting), 1, by_a, who);
  CHECK(ruled.outcome == resolution_kind::ask);
  CHECK(who == participants{2, 3});
  on.who.lose(2);
  static_cast<void>(find_deciders(on.who, ask(voting), 1, by_a, who));
  CHECK(who == participants{3});
}

TEST_CASE("without voters the ranks decide, and without those the first write "
          "stands") {
  part_rig ranked{of_four({{"b", 1}})};
  part_rig equal{of_four()};
  for (auto* on : {&ranked, &equal}) {
    on->who.lose(2);
    on->who.lose(3);
    participants who;
    const auto ruled = find_deciders(on->who, ask(voting), 1, by_a, who);
    CHECK(who.empty());
    CHECK(
      ruled.outcome
      == (on == &ranked ? resolution_kind::replace : resolution_kind::keep));
  }
}

TEST_CASE("an escalation goes to the first person that has no part in it") {
  auto what = of_four();
  for (auto i : {0, 2, 3})
    what.collab.participants[static_cast<std::size_t>(i)].kind
      = protocol::participant_kind::human;
  part_rig on{std::move(what)};
  participants who;
  static_cast<void>(find_deciders(on.who, ask(escalation), 1, by_a, who));
  CHECK(who == participants{2});
}

TEST_CASE("authors have the highest of their ranks") {
  part_rig on{of_four({{"a", 2}, {"c", 7}})};
  const author both[]{{.participant = 0}, {.participant = 2}};
  CHECK(rank_of(on.who, both) == 7);
  CHECK(rank_of(on.who, 0) == 2);
  CHECK(rank_of(on.who, 3) == 0);
}
