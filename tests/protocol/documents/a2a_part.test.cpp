#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/documents/a2a_part.hpp>

#include <string>
#include <vector>

using namespace convene;
using protocol::a2a_content;

TEST_CASE("a part of A2A is read by the one content that it has") {
  struct row {
    const char* part;
    a2a_content content;
    const char* text;
    const char* media_type;
  };
  for (const auto& each : std::vector<row>{
         {R"({"text": "a"})", a2a_content::text, "a", ""},
         {R"({"text": "", "mediaType": "text/plain"})", a2a_content::text, "",
          "text/plain"},
         {R"({"text": "a", "data": null, "raw": null, "url": null})",
          a2a_content::text, "a", ""},
         {R"({"kind": "text", "text": "a", "metadata": null})",
          a2a_content::text, "a", ""},
         {R"({"data": {"text": "a"}, "mediaType": "x/y"})", a2a_content::data,
          "", "x/y"},
         {R"({"data": 7, "mediaType": 7})", a2a_content::data, "", ""},
         {R"({"data": null, "text": null})", a2a_content::data, "", ""},
         {R"({"raw": "aGk=", "filename": "a"})", a2a_content::file, "", ""},
         {R"({"url": "https://a.example/"})", a2a_content::file, "", ""}}) {
    CAPTURE(each.part);
    const auto from = boost::json::parse(each.part);
    const auto got = protocol::read_a2a_part(from, "/parts/0");
    REQUIRE(got);
    CHECK(got->content == each.content);
    CHECK(got->text == each.text);
    CHECK(got->media_type == each.media_type);
    CHECK((got->data != nullptr) == (each.content == a2a_content::data));
    if (got->data != nullptr)
      CHECK(got->data == &from.at("data"));
  }
}

TEST_CASE("a part of A2A with two contents, or none, is refused") {
  struct row {
    const char* part;
    const char* pointer;
    const char* message;
  };
  for (const auto& each : std::vector<row>{
         {R"({"text": "a", "data": {}})", "/parts/0", "`text` and `data`"},
         {R"({"data": false, "text": ""})", "/parts/0", "`text` and `data`"},
         {R"({"text": "a", "raw": "aGk="})", "/parts/0", "`text` and `raw`"},
         {R"({"data": {}, "url": "https://a/"})", "/parts/0",
          "`data` and `url`"},
         {R"({"raw": "aGk=", "url": "https://a/"})", "/parts/0",
          "`raw` and `url`"},
         {"{}", "/parts/0", "no content"},
         {R"({"text": null})", "/parts/0", "no content"},
         {R"({"mediaType": "text/plain"})", "/parts/0", "no content"},
         {R"({"kind": "file", "file": {"uri": "https://a/"}})", "/parts/0",
          "no content"},
         {R"("a")", "/parts/0", "an object"},
         {R"({"text": 7})", "/parts/0/text", "a text"},
         {R"({"url": ["https://a/"]})", "/parts/0/url", "a text"}}) {
    CAPTURE(each.part);
    const auto got = protocol::read_a2a_part(boost::json::parse(each.part),
                                             "/parts/0");
    REQUIRE_FALSE(got);
    CHECK(got.error().rule == "a2a_part");
    CHECK(got.error().pointer == each.pointer);
    CHECK_THAT(got.error().message, Catch::Contains(each.message));
  }
}
