#include <catch2/catch.hpp>
#include <convene/integrations/intake/rising_time.hpp>

using convene::host::rising_time;

TEST_CASE("time does not go back with the clock") {
  rising_time time;
  CHECK(time.now(10) == 10);
  CHECK(time.now(5) == 10);
  CHECK(time.of_file("a", 5) == 10);
  CHECK(time.next(5) == 11);
  CHECK(time.next(11) == 12);
  CHECK(time.next(20) == 20);
}

TEST_CASE("two changes of one file have two times, those of two may have one") {
  rising_time time;
  CHECK(time.of_file("a", 10) == 10);
  CHECK(time.of_file("b", 10) == 10);
  CHECK(time.of_file("a", 10) == 11);
  CHECK(time.of_file("a", 10) == 12);
  CHECK(time.of_file("b", 10) == 12);
  CHECK(time.of_file("a", 30) == 30);
}
