#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/server/a2a/message.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace convene::server;

auto read_parts(const std::string& parts) {
  return read_message(
    boost::json::parse(R"({"message": {"messageId": "m", "role": "ROLE_USER",
                           "parts": [)"
                       + parts + "]}}")
      .as_object());
}

} // namespace

TEST_CASE("texts and data of a message are its text, line by line") {
  const auto got = read_parts(R"(
    {"text": "one", "mediaType": "text/plain", "data": null},
    {"data": {"n": [1]}},
    {"data": {"task": "two"}, "mediaType":
     "application/vnd.convene.request+json"},
    {"data": "three"})");
  REQUIRE(got);
  CHECK(got->text == "one\n{\"n\":[1]}\n\"three\"");
}

TEST_CASE("a message with a part that is none, or a file, is refused") {
  for (const auto& [part, pointer, rule] :
       std::vector<std::tuple<const char*, const char*, const char*>>{
         {R"({"text": "a", "data": {"b": 1}})", "", "invalid_params"},
         {R"({"data": {"b": 1}, "text": "a"})", "", "invalid_params"},
         {R"({"text": "a", "url": "https://a.example/"})", "",
          "invalid_params"},
         {"{}", "", "invalid_params"},
         {R"({"mediaType": "text/plain"})", "", "invalid_params"},
         {R"({"kind": "file", "file": {"uri": "https://a.example/"}})", "",
          "invalid_params"},
         {R"("a")", "", "invalid_params"},
         {R"({"text": 1})", "/text", "invalid_params"},
         {R"({"raw": "aGk="})", "", "content_type_not_supported"},
         {R"({"url": "https://a.example/"})", "",
          "content_type_not_supported"}}) {
    CAPTURE(part);
    const auto got = read_parts(R"({"text": "first"}, )" + std::string{part});
    REQUIRE_FALSE(got);
    CHECK(got.error().pointer == std::string{"/message/parts/1"} + pointer);
    CHECK(got.error().rule == rule);
  }
}
