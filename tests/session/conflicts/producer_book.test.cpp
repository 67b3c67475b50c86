#include <catch2/catch.hpp>
#include <convene/session/conflicts/producer_book.hpp>

using namespace convene::session;
using convene::protocol::graph_delta;
using convene::protocol::node_change;

namespace {

constexpr resource_name made{"file", "x"};

} // namespace

TEST_CASE("a resource has one edge from each step that wrote it") {
  producer_book of;
  const auto first = of.note(made, 3, false, false, false);
  CHECK(first.node == node_change::added);
  CHECK(first.delta == graph_delta{.nodes = 1, .edges = 2});
  CHECK(of.note(made, 3, false, true, false).delta == graph_delta{0, 0});
  CHECK(of.note(made, 4, false, true, false).delta == graph_delta{0, 1});
  CHECK(of.note(made, no_step, false, true, false).delta == graph_delta{0, 0});
  const auto last = of.note(made, no_step, false, true, true);
  CHECK(last.node == node_change::removed);
  CHECK(last.delta == graph_delta{.nodes = -1, .edges = -3});
}

TEST_CASE("a claimed resource stays in the graph when it is deleted") {
  producer_book of;
  CHECK(of.note(made, 3, true, false, false).delta == graph_delta{0, 1});
  const auto last = of.note(made, no_step, true, true, true);
  CHECK(last.node == node_change::updated);
  CHECK(last.delta == graph_delta{.nodes = 0, .edges = -1});
}
