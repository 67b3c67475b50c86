#include <catch2/catch.hpp>
#include <convene/protocol/status_moves.hpp>

#include <string>

using namespace convene::protocol;

namespace {

/// `from>to` of every move that is allowed, in the order of the words.
template <class Status>
std::string moves() {
  std::string all;
  for (const auto from : words_of<Status>)
    for (const auto to : words_of<Status>)
      if (may_become(*from_word<Status>(from), *from_word<Status>(to)))
        all += std::string{from} + '>' + std::string{to} + ' ';
  return all;
}

} // namespace

TEST_CASE("plans and steps move as their lifecycles say, and not otherwise") {
  CHECK(moves<plan_status>()
        == "draft>proposed draft>cancelled proposed>draft proposed>approved "
           "approved>in_progress in_progress>completed in_progress>cancelled "
           "in_progress>failed ");
  CHECK(moves<step_status>()
        == "pending>in_progress pending>blocked pending>skipped "
           "in_progress>completed in_progress>failed blocked>pending ");
}

TEST_CASE("moves by word are those of the named resource") {
  CHECK(may_become("plan", "draft", "proposed"));
  CHECK(may_become("step", "pending", "skipped"));
  CHECK_FALSE(may_become("plan", "pending", "skipped"));
  CHECK_FALSE(may_become("step", "pending", "done"));
  CHECK_FALSE(may_become("confirm", "draft", "proposed"));
}
