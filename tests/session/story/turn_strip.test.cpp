#include <catch2/catch.hpp>
#include <convene/session/story/turn_strip.hpp>

using convene::session::turn_strip;

TEST_CASE("a strip has a letter for each turn, in their order") {
  turn_strip strip;
  for (const char each : std::string{"cftdxc"})
    strip.add(each);
  CHECK(strip.text() == "cftdxc");
}

TEST_CASE("a strip of many turns stays short, and shows each failure") {
  turn_strip strip;
  for (int turn = 0; turn < 1000; ++turn)
    strip.add(turn == 517 ? 'f' : turn == 3 ? 'x' : 'c');
  CHECK(strip.text().size() <= turn_strip::columns_max);
  CHECK(strip.text().size() > turn_strip::columns_max / 2);
  CHECK(strip.text().front() == 'x');
  // Each letter has 32 of the 1000 turns.
  CHECK(strip.text().find('f') == 517 / 32);
  CHECK(strip.text().size() == 32);
}
