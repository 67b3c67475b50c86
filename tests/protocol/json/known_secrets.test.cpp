#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/known_secrets.hpp>

using convene::protocol::known_secrets;

namespace {

known_secrets with(std::initializer_list<const char*> all) {
  known_secrets made;
  for (const auto* each : all)
    made.add(each);
  return made;
}

} // namespace

TEST_CASE("secrets are masked wherever they are in a value") {
  const auto uut = with({"sk-12345678", "sk-12345678-long", "a\"b\nc\\d-e"});
  for (const auto& [text, wanted] :
       std::vector<std::pair<const char*, const char*>>{
         {R"("sk-12345678")", R"("***")"},
         {R"(["x sk-12345678 y sk-12345678", 1, null])",
          R"(["x *** y ***",1,null])"},
         {R"({"a": {"b": "sk-12345678-long"}})", R"({"a":{"b":"***"}})"},
         {R"({"say sk-12345678": [true]})", R"({"say ***":[true]})"},
         {R"("a\"b\nc\\d-e")", R"("***")"},
         {R"("\u0073k-1234\u00356\u00378")", R"("***")"}}) {
    auto value = boost::json::parse(text);
    CHECK(uut.mask(value));
    CHECK(boost::json::serialize(value) == wanted);
  }
  auto other = boost::json::parse(R"({"a": ["sk-1234567", {"b": 2.5}]})");
  const auto before = other;
  CHECK_FALSE(uut.mask(other));
  CHECK(other == before);
}

TEST_CASE("a short text is no secret, since it could be any word") {
  known_secrets uut;
  CHECK_FALSE(uut.add("1234567"));
  CHECK_FALSE(uut.add(""));
  CHECK(uut.empty());
  CHECK(uut.add("12345678"));
  CHECK_FALSE(uut.add("12345678"));
}
