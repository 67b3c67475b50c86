#include <convene/protocol/checks/graph_check.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view graph_rule = "graph_matches";

std::pair<std::string, std::string> resource_in(const json::object& from) {
  return {std::string{text_of(from, "resource_type")},
          std::string{text_of(from, "resource_id")}};
}

std::int64_t size_of(const json::array& list) {
  return static_cast<std::int64_t>(list.size());
}

} // namespace

void graph_check::feed(const checked_event& e) {
  if (e.is("MAPSessionStarted")) {
    const auto& all = array_of(object_of(e.payload, "spec"), "workspace");
    for (const auto& each : all)
      if (const auto* one = each.if_object())
        present_.insert(resource_in(*one));
    if (!all.empty())
      unopened_ = size_of(all);
    return;
  }
  if (unopened_ && (e.goes_on() || e.is("plan_created"))) {
    e.report(graph_rule, "the scenario has resources, and no workspace_opened "
                         "comes before "
                           + std::string{e.type});
    unopened_.reset();
  }
  const auto made = expected(e);
  if (!made)
    return;
  const auto compare = [&](std::string_view member, std::string_view what) {
    if (!what.empty() && text_of(e.whole, member) != what)
      e.report(graph_rule, std::string{member} + " is "
                             + quote(text_of(e.whole, member)) + ", expected "
                             + quote(what));
  };
  compare("graph_id", e.session.context_id);
  compare("update_kind", made->kind);
  compare("source_module", made->module);
  const auto count = [&](std::string_view member, std::int64_t what) {
    const auto is = integer_of(e.whole, member);
    if (is && *is != what)
      e.report(graph_rule, std::string{member} + " is " + std::to_string(*is)
                             + ", expected " + std::to_string(what));
  };
  count("node_delta", made->nodes);
  count("edge_delta", made->edges);
}

std::optional<graph_check::change>
graph_check::expected(const checked_event& e) {
  if (e.is("workspace_opened")) {
    const auto is = integer_of(e.payload, "resources").value_or(0);
    if (!unopened_)
      e.report(graph_rule, "the workspace was opened before, or the scenario "
                           "has no resources");
    if (const auto wanted = std::exchange(unopened_, std::nullopt);
        wanted && *wanted != is)
      e.report(graph_rule, "resources is " + std::to_string(is)
                             + ", the scenario has " + std::to_string(*wanted));
    return change{.kind = "bulk", .nodes = is};
  }
  if (e.is("plan_created"))
    return change{
      .kind = "node_add",
      .nodes = 1 + size_of(array_of(object_of(e.payload, "plan"), "steps")),
      .module = "plan"};
  if (e.is("step_added"))
    return change{.kind = "node_add", .nodes = 1, .module = "plan"};
  if (e.is("resource_written"))
    return write(e.payload);
  if (e.is("claim_taken") || e.is("claim_handed_over")
      || e.is("claim_released"))
    return claim(e.type, e.payload);
  return std::nullopt;
}

graph_check::change graph_check::write(const json::object& payload) {
  auto name = resource_in(payload);
  if (text_of(payload, "op") == "delete") {
    present_.erase(name);
    return {.kind = "node_delete", .nodes = -1};
  }
  const bool is_new = present_.insert(std::move(name)).second;
  return is_new ? change{.kind = "node_add", .nodes = 1}
                : change{.kind = "node_update"};
}

graph_check::change graph_check::claim(std::string_view type,
                                       const json::object& payload) {
  auto name = resource_in(payload);
  if (type == "claim_released") {
    claimed_.erase(name);
    return {.kind = "edge_delete", .edges = -1};
  }
  const bool is_new = claimed_.insert(std::move(name)).second;
  return is_new ? change{.kind = "edge_add", .edges = 1}
                : change{.kind = "edge_update"};
}

} // namespace convene::protocol
