#include <catch2/catch.hpp>
#include <convene/protocol/base/glob.hpp>

#include <string>

using convene::protocol::matches_glob;

TEST_CASE("a pattern stands for whole texts, with * and ? anywhere") {
  for (const auto& [pattern, text] :
       {std::pair{"files/write_*", "files/write_file"},
        {"files/write_*", "files/write_"},
        {"*", ""},
        {"*", "a/b"},
        {"*/write_*", "files/write_file"},
        {"*_file", "files/write_file_file"},
        {"a?c", "abc"},
        {"a*b*c", "a-b-b-c"},
        {"**", "x"},
        {"", ""}})
    CHECK(matches_glob(pattern, text));
  for (const auto& [pattern, text] :
       {std::pair{"files/write_*", "files/read_file"},
        {"files/write", "files/write_file"},
        {"write_*", "files/write_file"},
        {"a?c", "ac"},
        {"a*b", "a-b-c"},
        {"", "a"},
        {"?", ""},
        {"[a]", "a"},
        {"A", "a"}})
    CHECK_FALSE(matches_glob(pattern, text));
}

TEST_CASE("a hostile pattern takes no longer than its size times the text's") {
  std::string pattern;
  for (int i = 0; i < 1'000; ++i)
    pattern += "*a";
  CHECK_FALSE(matches_glob(pattern + "b", std::string(10'000, 'a')));
}
