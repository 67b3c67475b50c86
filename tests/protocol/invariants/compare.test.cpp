#include <convene/protocol/compare/compare.hpp>
#include <protocol/invariants/samples.hpp>

using namespace convene::protocol;
using namespace convene::test;

namespace {

/// The paths of the differences, in order.
std::string differences(const char* expected, const char* actual) {
  std::string paths;
  for (const auto& one :
       compare_documents(*parse_json(expected), *parse_json(actual))
         .differences)
    paths += (one.path.empty() ? "." : one.path) + ' ';
  return paths;
}

} // namespace

TEST_CASE("a document is as expected when it has all that is expected") {
  CHECK(differences(R"({"a": 1, "b": {"c": [1, 2]}})",
                    R"({"b": {"d": 0, "c": [1, 2]}, "a": 1.0, "e": null})")
        == "");
  CHECK(differences(R"({"a": 1, "b": {"c": null}})", R"({"a": 2, "b": {}})")
        == "a b.c ");
  CHECK(differences("[1, 2]", "[2, 1]") == "[0] [1] ");
  CHECK(differences(R"({"a": [1]})", R"({"a": [1, 1]})") == "a ");
  CHECK(differences("{}", "[]") == ". ");
  CHECK(differences("1", "\"1\"") == ". ");
  CHECK(differences("18446744073709551615", "-1") == ". ");
  CHECK(differences("0.5", "1") == ". ");
}

TEST_CASE("each ignored member is ignored wherever it stands, and only it") {
  CHECK(ignored_members().size() == 19);
  for (const auto member : ignored_members()) {
    INFO(member);
    const auto dot = member.find('.');
    const auto wrap = [&](int value) {
      const std::string last{member.substr(dot == member.npos ? 0 : dot + 1)};
      json::value inner{{last, value}};
      if (dot != member.npos)
        inner = {{std::string{member.substr(0, dot)}, inner}};
      return json::value{{"x", json::array{inner}}};
    };
    CHECK(compare_documents(wrap(1), wrap(2)).equal());
  }
  CHECK(differences(R"({"created_at": 1})", R"({"created_at": 2})")
        == "created_at ");
  CHECK(
    differences(R"({"a": {"created_at": 1}})", R"({"a": {"created_at": 2}})")
    == "a.created_at ");
  CHECK(differences(R"({"meta": [{"created_at": 1}]})",
                    R"({"meta": [{"created_at": 2}]})")
        == "meta[0].created_at ");
  CHECK(differences(R"({"step_ids": 1, "collab_id": 1, "event_id": 1})", "{}")
        == "step_ids collab_id event_id ");
  CHECK(differences(R"({"dependencies": ["a"]})", R"({"dependencies": ["b"]})")
        == "dependencies[0] ");
}

TEST_CASE("a comment at the top does not count, one below does") {
  CHECK(differences(R"({"$comment": "a"})", "{}") == "");
  CHECK(differences(R"({"a": {"$comment": "a"}})", R"({"a": {}})")
        == "a.$comment ");
}

TEST_CASE("a difference says what was expected, what is there and where") {
  const auto found
    = compare_documents(*parse_json(R"({"steps": [{"a/b": "x"}]})"),
                        *parse_json(R"({"steps": [{"a/b": "y"}]})"));
  REQUIRE(found.total == 1);
  CHECK(found.differences[0]
        == difference{.path = "steps[0].a/b",
                      .pointer = "/steps/0/a~1b",
                      .expected = "\"x\"",
                      .actual = "\"y\"",
                      .message = "expected \"x\", found \"y\""});
}

TEST_CASE("differences beyond the bound are counted, not kept") {
  const json::array many(100'000, 1);
  const json::array others(100'000, 2);
  const auto found = compare_documents(many, others);
  CHECK(found.total == 100'000);
  CHECK(found.differences.size() == differences_kept);
}
