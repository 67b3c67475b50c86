#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/server/runs/turn_view.hpp>

namespace json = boost::json;
using namespace convene::server;

namespace {

std::string seen(const turn_view& view, const std::string& event) {
  return *view.apply(std::make_shared<const std::string>(event));
}

const std::string turns
  = R"([{"messageId":"m","turnIndex":1,"groupId":"a","content":"A","x":"A"},)"
    R"({"messageId":"n","turnIndex":2,"groupId":"b","content":"B","x":"B"},)"
    R"({"messageId":"o","turnIndex":3,"groupId":"","content":"C"},)"
    R"({"messageId":"p","turnIndex":4,"content":"D"}])";

} // namespace

TEST_CASE("a reader without groups gets an event as it is") {
  const auto text = std::make_shared<const std::string>("[ 1 ]");
  const turn_view all;
  CHECK(all.sees_all());
  CHECK(all.sees("b"));
  CHECK(all.apply(text) == text);
}

TEST_CASE("turns of other groups are hidden at any depth, and keep their "
          "place") {
  const turn_view view{{"a", "c"}};
  CHECK(view.sees("a"));
  CHECK(view.sees(""));
  CHECK_FALSE(view.sees("b"));
  const auto hidden
    = R"([{"messageId":"m","turnIndex":1,"groupId":"a","content":"A","x":"A"},)"
      R"({"messageId":"n","turnIndex":2,"groupId":"b","content":null,)"
      R"("isHidden":true},)"
      R"({"messageId":"o","turnIndex":3,"groupId":"","content":"C"},)"
      R"({"messageId":"p","turnIndex":4,"content":"D"}])";
  CHECK(seen(view, turns) == hidden);
  CHECK(seen(view, R"({"payload":{"value":)" + turns + "}}")
        == std::string{R"({"payload":{"value":)"} + hidden + "}}");
  // A message of another kind is no turn.
  const auto* const other = R"({"messageId":"n","groupId":"b","content":"B"})";
  CHECK(seen(view, other) == other);
}

TEST_CASE("a request does not show the content of a first turn whose group it "
          "does not name") {
  const turn_view view{{"a"}};
  CHECK(seen(view, R"({"data":{"conversationId":"c","initialPrompt":"B"}})")
        == R"({"data":{"conversationId":"c","initialPrompt":null}})");
  CHECK(seen(view, R"({"config":{"initialPrompt":"B"}})")
        == R"({"config":{"initialPrompt":"B"}})");
}

TEST_CASE("what cannot be read is not shown to a reader of groups") {
  CHECK(seen(turn_view{{"a"}}, "{") == "{}");
}
