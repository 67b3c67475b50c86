#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/workspace/json_patch.hpp>
#include <convene/session/workspace/merge.hpp>
#include <convene/session/workspace/size.hpp>

#include <stdexcept>

using namespace convene;
using namespace convene::session;

namespace {

json::value parse(std::string_view text) {
  auto parsed = protocol::parse_json(text);
  if (!parsed)
    throw std::runtime_error{to_string(parsed.error())};
  return *std::move(parsed);
}

struct patch_case {
  std::string_view to;
  std::string_view patch;
  std::string_view expected; ///< JSON text, or the rule it is refused by
};

/// An array of `count` zeros as text.
std::string zeros(std::size_t count) {
  std::string text = "[0";
  for (std::size_t i = 1; i < count; ++i)
    text += ",0";
  return text + "]";
}

} // namespace

TEST_CASE("a patch does what RFC 6902 says, or says why not") {
  const auto [to, patch, expected] = GENERATE(values<patch_case>({
    // The examples of RFC 6902, appendix A.
    {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
     R"({"baz":"qux","foo":"bar"})"},
    {R"({"foo":["bar","baz"]})",
     R"([{"op":"add","path":"/foo/1","value":"qux"}])",
     R"({"foo":["bar","qux","baz"]})"},
    {R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])",
     R"({"foo":"bar"})"},
    {R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])",
     R"({"foo":["bar","baz"]})"},
    {R"({"baz":"qux","foo":"bar"})",
     R"([{"op":"replace","path":"/baz","value":"boo"}])",
     R"({"baz":"boo","foo":"bar"})"},
    {R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
     R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
     R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
    {R"({"foo":["all","grass","cows","eat"]})",
     R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
     R"({"foo":["all","cows","eat","grass"]})"},
    {R"({"baz":"qux","foo":["a",2,"c"]})",
     R"([{"op":"test","path":"/baz","value":"qux"},
         {"op":"test","path":"/foo/1","value":2}])",
     R"({"baz":"qux","foo":["a",2,"c"]})"},
    {R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])",
     "patch_test"},
    {R"({"foo":"bar"})",
     R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
     R"({"foo":"bar","child":{"grandchild":{}}})"},
    {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux","x":1}])",
     R"({"foo":"bar","baz":"qux"})"},
    {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])",
     "patch_place"},
    {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])",
     R"({"/":9,"~1":10})"},
    {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])",
     "patch_test"},
    {R"({"foo":["bar"]})",
     R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
     R"({"foo":["bar",["abc","def"]]})"},
    // Numbers by value, RFC 6902, 4.6.
    {R"({"a":[1,{"b":2.0}]})",
     R"([{"op":"test","path":"/a","value":[1.0,{"b":2}]}])",
     R"({"a":[1,{"b":2.0}]})"},
    {R"({"a":1})", R"([{"op":"test","path":"/a","value":1.5}])", "patch_test"},
    // The whole value, copies, and places that are not there.
    {R"(null)", R"([{"op":"add","path":"","value":{"a":1}}])", R"({"a":1})"},
    {R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"},
                         {"op":"replace","path":"/b/0","value":2}])",
     R"({"a":[1],"b":[2]})"},
    {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])",
     "patch_place"},
    {R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1})"},
    {R"([1,2])", R"([{"op":"add","path":"/3","value":3}])", "patch_place"},
    {R"([1,2])", R"([{"op":"add","path":"/2","value":3}])", "[1,2,3]"},
    {R"([1,2])", R"([{"op":"remove","path":"/-"}])", "patch_place"},
    {R"([1,2])", R"([{"op":"remove","path":"/01"}])", "patch_place"},
    {R"([1,2])", R"([{"op":"replace","path":"/x","value":3}])", "patch_place"},
    {R"({"a":1})", R"([{"op":"replace","path":"/b","value":3}])",
     "patch_place"},
    {R"({"a":1})", R"([{"op":"remove","path":"a"}])", "pointer_syntax"},
    {R"({"a":1})", R"([{"op":"remove","path":"/~2"}])", "pointer_syntax"},
    {R"({"a":1})", R"([{"op":"remove","path":"/~"}])", "pointer_syntax"},
    {R"({"a":1})", R"([{"op":"remove"}])", "patch_syntax"},
    {R"({"a":1})", R"([{"op":"add","path":"/b"}])", "patch_syntax"},
    {R"({"a":1})", R"([{"op":"append","path":"/b"}])", "patch_syntax"},
    {R"({"a":1})", R"([7])", "patch_syntax"},
    {R"({"a":1})", R"({"op":"remove","path":"/a"})", "patch_syntax"},
  }));
  INFO(to << " patched by " << patch);
  const auto made = apply_patch(parse(to), parse(patch));
  if (made)
    CHECK(*made == parse(expected));
  else
    CHECK(made.error().rule == expected);
}

TEST_CASE("a patch says which of its operations cannot be done") {
  const auto made = apply_patch(
    parse("{}"),
    parse(
      R"([{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}])"));
  REQUIRE_FALSE(made);
  CHECK(made.error().pointer == "/1");
}

TEST_CASE("a patch that would take long or grow without end is refused") {
  json::array doubling{{{"op", "add"}, {"path", "/0"}, {"value", "x"}}};
  while (doubling.size() < patch_operations_max)
    doubling.push_back({{"op", "copy"}, {"from", ""}, {"path", "/0"}});
  const auto grown = apply_patch(json::array{}, doubling);
  REQUIRE_FALSE(grown);
  CHECK((grown.error().rule == "patch_work_max"
         || grown.error().rule == "value_depth_max"));

  json::array shifting(patch_operations_max,
                       {{"op", "add"}, {"path", "/0"}, {"value", 1}});
  const auto shifted = apply_patch(parse(zeros(100'000)), shifting);
  REQUIRE_FALSE(shifted);
  CHECK(shifted.error().rule == "patch_work_max");

  shifting.push_back(shifting.front());
  const auto many = apply_patch(json::array{}, shifting);
  REQUIRE_FALSE(many);
  CHECK(many.error().rule == "patch_operations_max");
}

TEST_CASE("a merge patch does what RFC 7396 says") {
  // The table of RFC 7396, appendix A.
  const auto [to, patch, expected] = GENERATE(values<patch_case>(
    {{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
     {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
     {R"({"a":"b"})", R"({"a":null})", R"({})"},
     {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
     {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
     {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
     {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})",
      R"({"a":{"b":"d"}})"},
     {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
     {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
     {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
     {R"({"a":"foo"})", R"(null)", R"(null)"},
     {R"({"a":"foo"})", R"("bar")", R"("bar")"},
     {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
     {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
     {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"}}));
  INFO(to << " merged with " << patch);
  CHECK(merge_patch(parse(to), parse(patch)) == parse(expected));
}

namespace {

struct join_case {
  std::string_view base;
  std::string_view ours;
  std::string_view theirs;
  std::string_view expected; ///< JSON text; empty: they touch the same place
};

} // namespace

TEST_CASE("two changes join where they touch different members") {
  const auto [base, ours, theirs, expected] = GENERATE(values<join_case>(
    {{R"({"a":1,"b":1})", R"({"a":2,"b":1})", R"({"a":1,"b":2})",
      R"({"a":2,"b":2})"},
     {R"({"a":1})", R"({"a":2})", R"({"a":3})", ""},
     {R"({"a":1})", R"({"a":2})", R"({"a":2})", R"({"a":2})"},
     {R"({"a":1})", R"({"a":1})", R"({"a":3})", R"({"a":3})"},
     {R"({})", R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2})"},
     {R"({})", R"({"a":1})", R"({"a":2})", ""},
     {R"({"a":1,"b":1})", R"({"b":1})", R"({"a":1,"b":2})", R"({"b":2})"},
     {R"({"a":1,"b":1})", R"({"a":1,"b":2})", R"({"b":1})", R"({"b":2})"},
     {R"({"a":1})", R"({})", R"({"a":2})", ""},
     {R"({"a":{"x":1,"y":1}})", R"({"a":{"x":2,"y":1}})",
      R"({"a":{"x":1,"y":2}})", R"({"a":{"x":2,"y":2}})"},
     {R"({"a":[1,2]})", R"({"a":[0,2]})", R"({"a":[1,3]})", ""},
     {R"("text")", R"("one")", R"("two")", ""},
     {R"(null)", R"({"a":1})", R"({"b":1})", ""}}));
  INFO(base << " became " << ours << " and " << theirs);
  const auto made = join(parse(base), parse(ours), parse(theirs));
  CHECK(made.has_value() == !expected.empty());
  if (made && !expected.empty())
    CHECK(*made == parse(expected));
}

TEST_CASE("a value is measured only as far as its bounds") {
  json::value deep = 1;
  for (int n = 0; n < 10'000; ++n)
    deep = json::array{std::move(deep)};
  CHECK(measure(deep).depth == value_depth_max + 1);
  CHECK(check_fits(measure(deep)).error().rule == "value_depth_max");
  const json::value large(std::string(2 * value_bytes_max, 'x'));
  CHECK(check_fits(measure(large)).error().rule == "value_bytes_max");
  CHECK(check_fits(measure(parse(R"({"a":[1,"b"]})"))));
}
