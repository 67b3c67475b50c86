#include <catch2/catch.hpp>
#include <convene/protocol/graph/graph_impact.hpp>

#include <string>
#include <vector>

using namespace convene::protocol;
using kind = graph_node_kind;
using texts = std::vector<std::string>;

namespace {

/// A Context with a Plan of steps a, b and c, one after the other; b has
/// written a file, a Role does c, and a Confirm and a Trace are about the Plan.
project_graph some_project() {
  using enum graph_edge_kind;
  project_graph made;
  const graph_key context{kind::context, "x"};
  const graph_key plan{kind::plan, "p"};
  const graph_key trace{kind::trace, "t"};
  const graph_key file{kind::resource, "f"};
  const graph_key role{kind::role, "r"};
  const graph_key confirm{kind::confirm, "q"};
  const graph_key decision{kind::decision, "q/d"};
  for (const auto& key : {context, plan, trace, file, role, confirm, decision})
    REQUIRE(made.add(key, {}));
  for (const auto* name : {"p/a", "p/b", "p/c"}) {
    REQUIRE(made.add({kind::step, name}, {{"status", "pending"}}));
    REQUIRE(made.connect({contains, plan, {kind::step, name}}));
  }
  for (const auto& edge : std::vector<graph_edge>{
         {has_context, plan, context},
         {has_context, trace, context},
         {traces, trace, plan},
         {confirms, confirm, plan},
         {contains, confirm, decision},
         {depends_on, {kind::step, "p/b"}, {kind::step, "p/a"}},
         {depends_on, {kind::step, "p/c"}, {kind::step, "p/b"}},
         {produces, {kind::step, "p/b"}, file},
         {assigned_to, {kind::step, "p/c"}, role}})
    REQUIRE(made.connect(edge));
  return made;
}

texts affected_by(const project_graph& in, const graph_key& changed) {
  const auto made = impact_of(in, changed);
  REQUIRE(made);
  texts all{std::string{to_word(made->risk)}};
  for (const auto& key : made->affected)
    all.push_back(to_string(key));
  return all;
}

} // namespace

TEST_CASE("a change affects what hangs on it, directly and over others") {
  const auto in = some_project();
  CHECK(affected_by(in, {kind::step, "p/a"})
        == texts{"medium", "step:p/b", "step:p/c", "resource:f"});
  CHECK(affected_by(in, {kind::step, "p/c"}) == texts{"low"});
  CHECK(affected_by(in, {kind::resource, "f"}) == texts{"low"});
  CHECK(affected_by(in, {kind::role, "r"}) == texts{"medium", "step:p/c"});
  CHECK(affected_by(in, {kind::plan, "p"})
        == texts{"medium", "step:p/a", "step:p/b", "step:p/c", "confirm:q",
                 "resource:f"});
  CHECK(affected_by(in, {kind::context, "x"})
        == texts{"medium", "plan:p", "step:p/a", "step:p/b", "step:p/c",
                 "confirm:q", "resource:f"});
  CHECK(impact_of(in, {kind::step, "p/z"}).error().rule == "node_missing");
}

TEST_CASE("the risk of a change is high if work is done or under way") {
  for (const auto* status : {"pending", "in_progress", "completed", "failed"}) {
    INFO(status);
    auto in = some_project();
    REQUIRE(in.update({kind::step, "p/c"}, {{"status", status}}));
    const bool work = std::string{status} == "in_progress"
                      || std::string{status} == "completed";
    CHECK(affected_by(in, {kind::step, "p/a"}).front()
          == (work ? "high" : "medium"));
    CHECK(affected_by(in, {kind::step, "p/c"}).front()
          == (work ? "high" : "low"));
  }
}
