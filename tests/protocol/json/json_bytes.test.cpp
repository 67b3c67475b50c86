#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_bytes.hpp>
#include <support/dice.hpp>

#include <limits>
#include <string>

using namespace convene;
namespace json = boost::json;

namespace {

void check(const json::value& what) {
  const auto text = json::serialize(what);
  INFO(text);
  CHECK(protocol::json_bytes(what) == text.size());
}

json::value random_value(test::dice& d, int depth) {
  switch (d.below(depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return d.chance(50);
    case 2:
      return static_cast<std::int64_t>(d.below(1'000'000))
             * (d.chance(50) ? 1 : -1);
    case 3:
      return static_cast<double>(d.below(1'000'000)) / 64.0;
    case 4:
    case 5: {
      std::string text;
      for (auto left = d.below(12); left > 0; --left)
        text += static_cast<char>(d.below(128));
      return json::string(text);
    }
    case 6: {
      json::array made;
      for (auto left = d.below(5); left > 0; --left)
        made.push_back(random_value(d, depth - 1));
      return made;
    }
    default: {
      json::object made;
      for (auto left = d.below(5); left > 0; --left)
        made[std::string(left, '"')] = random_value(d, depth - 1);
      return made;
    }
  }
}

} // namespace

TEST_CASE("The bytes of a value are those of its text") {
  for (int c = 0; c < 128; ++c)
    check(json::string(1, static_cast<char>(c)));
  check(json::string("\xc3\xa4\xe2\x82\xac"));
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{9}, std::int64_t{10},
        std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()})
    check(number);
  check(std::numeric_limits<std::uint64_t>::max());
  check(1e300);
  check(json::array{});
  check(json::object{});
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    test::dice d{seed};
    check(random_value(d, 4));
  }
}
