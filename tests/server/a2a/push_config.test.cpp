#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/server/a2a/push_config.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace convene::server;
namespace json = boost::json;

namespace {

auto read_push(const std::string& text) {
  return read_push_config(json::parse(text).as_object(), "/p", "t1");
}

} // namespace

TEST_CASE("a push notification config is read, and kept whole on disk") {
  const auto got = read_push(R"({"id": "one", "taskId": "t1",
    "url": "https://a.example/told?x=1", "token": "hush",
    "authentication": {"scheme": "Bearer", "credentials": "secret"}})");
  REQUIRE(got);
  CHECK(*got
        == push_config{.id = "one",
                       .url = "https://a.example/told?x=1",
                       .token = "hush",
                       .scheme = "Bearer",
                       .credentials = "secret"});
  auto told = *got;
  told.delivered = 7;
  CHECK(push_config_of(document_of(told)) == told);
}

TEST_CASE("a push notification config is shown without its secrets") {
  const auto got = read_push(R"({"id": "one", "url": "https://a.example/",
    "token": "hush", "authentication":
    {"scheme": "Bearer", "credentials": "secret"}})");
  REQUIRE(got);
  CHECK(json::value(to_json(*got, "t1"))
        == json::parse(R"({"id": "one", "taskId": "t1",
             "url": "https://a.example/",
             "authentication": {"scheme": "Bearer"}})"));
}

TEST_CASE("a push notification config without an id has the same one each "
          "time") {
  const auto* const text = R"({"url": "https://a.example/"})";
  const auto one = read_push(text);
  REQUIRE(one);
  CHECK(one->id.size() == 36);
  CHECK(read_push(text)->id == one->id);
  CHECK(read_push(R"({"url": "https://b.example/"})")->id != one->id);
}

TEST_CASE("a push notification config that is none is refused with the place") {
  for (const auto& [text, pointer] :
       std::vector<std::pair<std::string, std::string>>{
         {"{}", "/p/url"},
         {R"({"url": 7})", "/p/url"},
         {R"({"url": "https://a/", "taskId": "t2"})", "/p/taskId"},
         {R"({"url": "https://a/", "id": ["x"]})", "/p/id"},
         {R"({"url": "https://a/", "token": "a\r\nX-Evil: 1"})", "/p/token"},
         {R"({"url": "https://a/", "token": "\u00e9"})", "/p/token"},
         {R"({"url": "https://a/", "token": ")" + std::string(4097, 'x')
            + "\"}",
          "/p/token"},
         {R"({"url": "https://a/", "authentication": "Bearer x"})",
          "/p/authentication"},
         {R"({"url": "https://a/", "authentication": {"credentials": "x"}})",
          "/p/authentication/scheme"},
         {R"({"url": "https://a/", "authentication": {"scheme": "a b"}})",
          "/p/authentication/scheme"},
         {R"({"url": "https://a/", "authentication": {"scheme": "Bearer",
              "credentials": "a\nb"}})",
          "/p/authentication/credentials"}}) {
    CAPTURE(text);
    const auto got = read_push(text);
    REQUIRE_FALSE(got);
    CHECK(got.error().pointer == pointer);
    CHECK(got.error().rule == "invalid_params");
  }
}
