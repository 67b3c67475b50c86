#include <catch2/catch.hpp>
#include <convene/protocol/base/text_backlog.hpp>

using convene::protocol::text_backlog;
using pieces = text_backlog::pieces;

TEST_CASE("text is taken once, in order, with who said it where") {
  text_backlog waiting{pieces::separate};
  CHECK(waiting.is_empty());
  CHECK(waiting.add("s", "ann", "Hello "));
  CHECK(waiting.add("s", "ann", "you"));
  CHECK(waiting.add("t", "bob", "Hi"));
  const auto taken = waiting.take();
  REQUIRE(taken.size() == 3);
  CHECK(taken[1].text == "you");
  CHECK(taken[2].place == "t");
  CHECK(taken[2].who == "bob");
  CHECK(waiting.is_empty());
  CHECK(waiting.take().empty());
}

TEST_CASE("text of one participant in one place may be joined") {
  text_backlog waiting{pieces::joined};
  for (const auto& [place, who] :
       {std::pair{"s", "ann"}, {"s", "ann"}, {"s", "bob"}, {"t", "bob"}})
    waiting.add(place, who, "x");
  const auto taken = waiting.take();
  REQUIRE(taken.size() == 3);
  CHECK(taken[0].text == "xx");
}

TEST_CASE("the next piece counts the bytes that were dropped before it") {
  const auto how = GENERATE(pieces::joined, pieces::separate);
  text_backlog waiting{how};
  const std::string half(text_backlog::bytes_max / 2, 'x');
  CHECK(waiting.add("s", "ann", half));
  CHECK_FALSE(waiting.add("s", "ann", half));
  CHECK_FALSE(waiting.add("s", "ann", half));
  CHECK(waiting.add("s", "ann", "short"));
  CHECK(waiting.add("s", "bob", "short"));
  const auto taken = waiting.take();
  REQUIRE(taken.size() == 3);
  CHECK(taken[1].dropped == 2 * half.size());
  CHECK(taken[2].dropped == 0);
  CHECK_FALSE(waiting.take_dropped());
}

TEST_CASE("what was dropped last can be asked for before a next piece") {
  text_backlog waiting{pieces::joined};
  const std::string long_text(text_backlog::bytes_max + 1, 'x');
  waiting.add("s", "ann", long_text);
  CHECK(waiting.is_empty());
  const auto dropped = waiting.take_dropped();
  REQUIRE(dropped);
  CHECK(dropped->who == "ann");
  CHECK(dropped->text.empty());
  CHECK(dropped->dropped == long_text.size());
  waiting.add("s", "ann", "on");
  CHECK(waiting.take().front().dropped == 0);
}

TEST_CASE("text that waits is bounded, however short its pieces are") {
  text_backlog waiting{GENERATE(pieces::joined, pieces::separate)};
  for (int n = 0; n < 100'000; ++n)
    waiting.add("s", std::to_string(n), "x");
  CHECK(waiting.take().size() < text_backlog::bytes_max / 64);
  CHECK(waiting.add("s", "a", "again"));
}
