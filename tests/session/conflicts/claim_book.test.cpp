#include <catch2/catch.hpp>
#include <convene/session/conflicts/claim_book.hpp>

using namespace convene::session;

TEST_CASE("a claim has one holder, the last who took it") {
  claim_book book;
  CHECK(book.holder({"file", "x"}) == no_participant);
  book.take({"file", "x"}, {.holder = 1, .expires_at = 100});
  CHECK(book.holder({"file", "x"}) == 1);
  CHECK(book.holder({"note", "x"}) == no_participant);
  book.take({"file", "x"}, {.holder = 2, .expires_at = 200});
  CHECK(book.holder({"file", "x"}) == 2);
  CHECK(book.size() == 1);
  book.release({"file", "x"});
  book.release({"file", "x"});
  CHECK(book.size() == 0);
}

TEST_CASE("claims expire at their time, and the next is known before") {
  claim_book book;
  CHECK_FALSE(book.earliest());
  book.take({"file", "x"}, {.holder = 1, .expires_at = 300});
  book.take({"file", "y"}, {.holder = 1, .expires_at = 200});
  CHECK(book.earliest() == 200);
  CHECK_FALSE(book.expired(199));
  REQUIRE(book.expired(200));
  CHECK(book.expired(200)->id == "y");
  book.release({"file", "y"});
  CHECK_FALSE(book.expired(299));
  CHECK(book.earliest() == 300);
}

TEST_CASE("all that somebody holds is found") {
  claim_book book;
  book.take({"note", "a"}, {.holder = 1, .expires_at = 1});
  book.take({"file", "b"}, {.holder = 2, .expires_at = 1});
  book.take({"file", "a"}, {.holder = 1, .expires_at = 1});
  const auto held = book.held_by(1);
  REQUIRE(held.size() == 2);
  CHECK(held[0].type == "file");
  CHECK(held[1].type == "note");
  CHECK(book.held_by(3).empty());
}
