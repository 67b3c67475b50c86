#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/mend_json.hpp>
#include <rapidcheck.h>

using namespace convene::protocol;

namespace {

std::string mended(std::string_view text) {
  const auto made = parse_mended_json(text);
  return made ? json::serialize(*made) : "refused: " + made.error().rule;
}

} // namespace

TEST_CASE("a text that other readers accept is mended and read") {
  struct sample {
    std::string from;
    std::string to;
  };
  const auto [from, to] = GENERATE(values<sample>({
    {R"(["\ud83d"])", "[\"\xef\xbf\xbd\"]"},
    {R"(["\ud83dx", "\ude00", "\uD83D\uDE00"])",
     "[\"\xef\xbf\xbdx\",\"\xef\xbf\xbd\",\"\xf0\x9f\x98\x80\"]"},
    {R"(["\ud83d\ud83d\ude00"])", "[\"\xef\xbf\xbd\xf0\x9f\x98\x80\"]"},
    {R"(["\\ud83d"])", R"(["\\ud83d"])"},
    {"[\"caf\xe9\"]", "[\"caf\xef\xbf\xbd\"]"},
    {R"({"a": NaN, "b": -Infinity, "c": Infinity, "d": nan})",
     R"({"a":null,"b":null,"c":null,"d":null})"},
    {R"(["NaN", "Infinity"])", R"(["NaN","Infinity"])"},
    {"[1e999, -1e999]", "[null,null]"},
    {"[123456789012345678901234567890, -9]", "[1.2345678901234568E29,-9]"},
    {"[\"a\tb\x1b[0m\"]", R"(["a\tb\u001b[0m"])"},
    {"\xef\xbb\xbf[\"\xff\"]", "[\"\xef\xbf\xbd\"]"},
  }));
  CHECK(mended(from) == to);
}

TEST_CASE("what no reader accepts stays refused") {
  for (const auto* each : {"", "{", "Server started", "[nano]", "[1,]",
                           "[\"a\\", "[+1]", "[\"\\ud8", "{\"a\":1,\"a\":2}"})
    CHECK(mended(each).starts_with("refused"));
}

TEST_CASE("mending changes no text that is valid") {
  CHECK(rc::check([](const std::string& raw) {
    const auto text = json::serialize(
      json::object{{"text", sanitize_utf8(raw)}, {"n", -1.5}});
    RC_ASSERT(mend_json(text) == text);
  }));
}

TEST_CASE("mending ends and never makes a text invalid, whatever the bytes") {
  CHECK(rc::check([](const std::string& raw) {
    std::string inside;
    for (const char c : raw)
      if (c != '"' && c != '\\')
        inside += c;
    RC_ASSERT(parse_mended_json("[\"" + inside + "\"]").has_value());
  }));
  CHECK(rc::check([](const std::string& raw) {
    const auto once = mend_json(raw);
    RC_ASSERT(mend_json(once) == once);
  }));
}
