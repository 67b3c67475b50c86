#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/edits.hpp>
#include <support/random_session.hpp>

using namespace convene::protocol;
using convene::test::dice;

namespace {

json::value random_value(dice& d, unsigned depth) {
  const std::vector<std::string> names{"a", "b", "c~", "d/e", "", "0"};
  switch (d.below(depth == 0 ? 4 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return d.below(3);
    case 2:
      return d.chance(50);
    case 3:
      return json::value(d.one_of(names));
    case 4: {
      json::array all;
      for (auto n = d.below(4); n > 0; --n)
        all.push_back(random_value(d, depth - 1));
      return all;
    }
    default: {
      json::object all;
      for (auto n = d.below(5); n > 0; --n)
        all.insert_or_assign(d.one_of(names), random_value(d, depth - 1));
      return all;
    }
  }
}

} // namespace

TEST_CASE("the edits between any two values make one of the other") {
  dice d{1};
  for (int i = 0; i < 20'000; ++i) {
    const auto from = random_value(d, 4);
    const auto to = random_value(d, 4);
    const auto edits = difference(from, to);
    auto edited = from;
    CAPTURE(i, json::serialize(from), json::serialize(to),
            json::serialize(edits));
    REQUIRE(apply_edits(edited, edits));
    REQUIRE(json::serialize(edited) == json::serialize(to));
    REQUIRE(difference(from, from).empty());
  }
}

TEST_CASE("edits that do not fit are refused") {
  for (const std::string edits :
       {"7", "{}", "[7]", "[{}]", R"([{"at": 7}])", R"([{"at": ""}])",
        R"([{"at": "x"}])", R"([{"at": "/a/b/c", "value": 1}])",
        R"([{"at": "/list/2", "value": 1}])", R"([{"at": "/list/0"}])",
        R"([{"at": "/list/x", "value": 1}])",
        R"([{"at": "/list/-1", "value": 1}])",
        R"([{"at": "", "order": ["list"]}])",
        R"([{"at": "", "order": ["list", "list"]}])",
        R"([{"at": "", "order": ["list", "b"]}])",
        R"([{"at": "", "order": 7}])", R"([{"at": "/list", "order": []}])"}) {
    CAPTURE(edits);
    auto value = *parse_json(R"({"list": [1, 2], "a": 1})");
    const auto refused = apply_edits(value, *parse_json(edits));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == "edit");
  }
}
