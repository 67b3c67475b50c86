#include <catch2/catch.hpp>
#include <convene/protocol/base/seal.hpp>

#include <vector>

using namespace convene::protocol;

namespace {

std::vector<std::string> sealed_lines() {
  seal_chain chain;
  std::vector<std::string> lines;
  for (const auto* line : {R"({"a":1})", R"({"b":"seal"})", R"({"a":1})"})
    lines.push_back(chain.seal(line));
  return lines;
}

bool is_sound(const std::vector<std::string>& lines) {
  seal_chain chain;
  bool all = true;
  for (const auto& line : lines)
    all = chain.take(line) && all;
  return all;
}

} // namespace

TEST_CASE("a seal is the last member of its line, and comes off again") {
  const auto lines = sealed_lines();
  CHECK(lines[0].starts_with(R"({"a":1,"seal":")"));
  CHECK(lines[0].ends_with(R"("})"));
  CHECK(without_seal(lines[1]) == R"({"b":"seal"})");
  CHECK(without_seal(R"({"a":1})") == R"({"a":1})");
  CHECK(lines[0] != lines[2]); // the lines before it count
}

TEST_CASE("sealed lines cannot be changed, left out, doubled or moved") {
  const auto lines = sealed_lines();
  REQUIRE(is_sound(lines));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(i);
    for (std::size_t at = 0; at < lines[i].size(); ++at) {
      auto edited = lines;
      edited[i][at] = static_cast<char>(edited[i][at] ^ 1);
      CAPTURE(edited[i]);
      CHECK_FALSE(is_sound(edited));
    }
    auto doubled = lines;
    doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    CHECK_FALSE(is_sound(doubled));
    if (i + 1 == lines.size())
      continue;
    auto dropped = lines;
    dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(is_sound(dropped));
    auto moved = lines;
    std::swap(moved[i], moved[i + 1]);
    CHECK_FALSE(is_sound(moved));
  }
}

TEST_CASE(
  "lines of an older version have no seals, and come before all others") {
  const std::vector<std::string> old{R"({"a":1})", R"({"a":2})"};
  CHECK(is_sound(old));
  seal_chain chain;
  for (const auto& line : old)
    REQUIRE(chain.take(line));
  auto both = old;
  both.push_back(chain.seal(R"({"a":3})"));
  CHECK(is_sound(both));
  auto edited = both;
  edited[0] = R"({"a":7})";
  CHECK_FALSE(is_sound(edited)); // the seal is over them, too
  both.push_back(old[0]);
  CHECK_FALSE(is_sound(both));
  CHECK_FALSE(
    is_sound({R"({"a":1, "seal": "00000000000000000000000000000000"})"}));
}
