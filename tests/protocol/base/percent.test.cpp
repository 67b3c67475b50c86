#include <catch2/catch.hpp>
#include <convene/protocol/base/percent.hpp>

#include <string>

using namespace convene::protocol;

TEST_CASE("every byte comes back from its percent-encoding") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  for (const auto& made :
       {percent_encoded(all), percent_encoded(all, "_", "0123456789abcdef")}) {
    CHECK(has_whole_escapes(made));
    CHECK(percent_decoded(made) == all);
  }
  CHECK(percent_encoded("a-b_c.d~e/ü") == "a-b_c.d~e%2F%C3%BC");
  CHECK(percent_encoded("a-b_c.d", "_", "0123456789abcdef") == "a%2db_c%2ed");
}

TEST_CASE("a percent sign without two digits is no escape, and stays") {
  for (const std::string text :
       {"%", "a%", "%4", "%%41", "%4g", "%-1", "a%g0b"}) {
    CHECK_FALSE(has_whole_escapes(text));
    CHECK(percent_decoded(text) == (text == "%%41" ? "%A" : text));
  }
  CHECK(has_whole_escapes("a%41%4a%4Ab"));
  CHECK(percent_decoded("a%41%4a%4Ab") == "aAJJb");
}
