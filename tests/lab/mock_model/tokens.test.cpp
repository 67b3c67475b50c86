#include <catch2/catch.hpp>
#include <convene/lab/mock_model/tokens.hpp>

using namespace convene::host::mock;

TEST_CASE("a token is four characters, of any number of bytes") {
  CHECK(count_tokens("") == 0);
  CHECK(count_tokens("a") == 1);
  CHECK(count_tokens("abcd") == 1);
  CHECK(count_tokens("abcde") == 2);
  CHECK(count_tokens("üüüü👋") == 2);
  CHECK(token_starts("üüüü👋!") == std::vector<std::uint32_t>{0, 8});
}

TEST_CASE("a text is cut between tokens, not within a character") {
  CHECK(first_tokens("abcdefgh", 1) == "abcd");
  CHECK(first_tokens("üüüü👋", 1) == "üüüü");
  CHECK(first_tokens("abc", 9) == "abc");
  CHECK(first_tokens("abc", 0).empty());
}
