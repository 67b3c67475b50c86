#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/actors/behaviours/factory.hpp>
#include <convene/actors/behaviours/node_place.hpp>

#include <string>

using namespace convene;
using namespace convene::actors;
using protocol::errc;

namespace {

protocol::result<node_place> read(const std::string& behaviour) {
  return read_node_place(boost::json::parse(behaviour), "/behaviours/a");
}

/// Remembers what it was asked to make.
class noting_source final : public behaviour_source {
public:
  protocol::result<std::unique_ptr<behaviour>>
  make(std::string_view type, const protocol::json::value& config,
       const behaviour_setup& whose, std::string_view pointer) override {
    asked = type;
    return make_behaviour(without_node(config), whose, pointer);
  }

  std::string asked;
};

} // namespace

TEST_CASE("a node is asked for by its name or by a label") {
  CHECK(*read(R"({"type": "echo", "node": {"name": "b"}})")
        == node_place{.name = "b", .label = {}});
  CHECK(*read(R"({"type": "llm", "node": {"label": "zone=x"}})")
        == node_place{.name = {}, .label = "zone=x"});
}

TEST_CASE("a node that is asked for in another way is refused with its place") {
  const auto* node = GENERATE(R"("b")", "{}", R"({"name": "b", "label": "c"})",
                              R"({"zone": "x"})", R"({"name": ""})",
                              R"({"name": "a b"})", R"({"label": "x="})",
                              R"({"label": "=x"})", R"({"name": 1})", "null");
  CAPTURE(node);
  const auto made
    = read(std::string{R"({"type": "echo", "node": )"} + node + "}");
  REQUIRE_FALSE(made);
  CHECK(made.error().code == errc::invalid_document);
  CHECK(made.error().pointer == "/behaviours/a/node");
}

TEST_CASE("what is bound to this process cannot run on another node") {
  const auto* type = GENERATE("function", "application", "human", "external",
                              "recorded");
  CAPTURE(type);
  const auto made = read(std::string{R"({"type": ")"} + type
                         + R"(", "node": {"name": "b"}})");
  REQUIRE_FALSE(made);
  CHECK(made.error().code == errc::activation_refused);
  CHECK(made.error().rule == "node_type");
}

TEST_CASE("a behaviour with a node is made by who knows other nodes") {
  const auto config
    = boost::json::parse(R"({"type": "echo", "node": {"name": "b"}})");
  noting_source nodes;
  CHECK(make_behaviour(config, {}, "/behaviours/a", &nodes));
  CHECK(nodes.asked == node_member);
  const auto made = make_behaviour(config, {}, "/behaviours/a");
  REQUIRE_FALSE(made);
  CHECK(made.error().code == errc::unsupported);
  CHECK(made.error().pointer == "/behaviours/a/node");
}

TEST_CASE("the settings of a behaviour with a node are read before it is "
          "asked for") {
  noting_source nodes;
  const auto made = make_behaviour(
    boost::json::parse(
      R"({"type": "echo", "node": {"name": "b"}, "turns": []})"),
    {}, "/behaviours/a", &nodes);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == errc::invalid_document);
  CHECK(nodes.asked.empty());
}
