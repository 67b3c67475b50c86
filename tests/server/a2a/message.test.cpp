#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/server/a2a/message.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
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

auto read_modes(const std::string& modes) {
  return read_message(
    boost::json::parse(R"({"message": {"messageId": "m", "role": "ROLE_USER",
                           "parts": [{"text": "a"}]},
                           "configuration": {"acceptedOutputModes": )"
                       + modes + "}}")
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

TEST_CASE("a message names the media types that its client reads") {
  using modes = std::optional<output_modes>;
  for (const auto& [list, wanted] : std::vector<std::pair<const char*, modes>>{
         {"null", modes{}},
         {"[]", modes{}},
         {R"(["text/plain", "application/json"])", output_modes{}},
         {R"(["*/*"])", output_modes{}},
         {R"(["image/png", "text/plain"])", output_modes{true, false}},
         {R"(["TEXT/Plain; charset=utf-8"])", output_modes{true, false}},
         {R"(["text/*"])", output_modes{true, false}},
         {R"(["text"])", output_modes{true, false}},
         {R"(["application/json"])", output_modes{false, true}},
         {R"([" application/* "])", output_modes{false, true}}}) {
    CAPTURE(list);
    const auto got = read_modes(list);
    REQUIRE(got);
    CHECK(got->output == wanted);
  }
  for (const auto* none :
       {"{}", R"({"configuration": null})", R"({"configuration": {}})"}) {
    auto request = boost::json::parse(none).as_object();
    request["message"] = {{"messageId", "m"},
                          {"role", "ROLE_USER"},
                          {"parts", {{{"text", "a"}}}}};
    const auto got = read_message(request);
    REQUIRE(got);
    CHECK_FALSE(got->output);
  }
}

TEST_CASE("a client that reads nothing that an agent sends is refused") {
  for (const auto& [list, pointer, rule] :
       std::vector<std::tuple<const char*, const char*, const char*>>{
         {R"(["image/png"])", "", "content_type_not_supported"},
         {R"(["text/html", "application/pdf"])", "",
          "content_type_not_supported"},
         {R"([""])", "", "content_type_not_supported"},
         {R"(["text/plain", 7])", "/1", "invalid_params"},
         {R"("text/plain")", "", "invalid_params"},
         {R"({"text/plain": true})", "", "invalid_params"}}) {
    CAPTURE(list);
    const auto got = read_modes(list);
    REQUIRE_FALSE(got);
    CHECK(got.error().pointer
          == std::string{"/configuration/acceptedOutputModes"} + pointer);
    CHECK(got.error().rule == rule);
  }
  const auto odd = read_message(
    boost::json::parse(R"({"message": {"messageId": "m", "role": "ROLE_USER",
      "parts": [{"text": "a"}]}, "configuration": ["text/plain"]})")
      .as_object());
  REQUIRE_FALSE(odd);
  CHECK(odd.error().pointer == "/configuration");
}
