#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/graph/graph_update.hpp>
#include <convene/protocol/json/members.hpp>

#include <utility>

namespace convene::protocol {
namespace {

tl::unexpected<error> no_update(std::string message, std::string pointer,
                                std::string rule) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule)});
}

bool is_of_edge(update_kind kind) {
  using enum update_kind;
  return kind == edge_add || kind == edge_update || kind == edge_delete;
}

json::object change_json(const graph_difference& change) {
  using enum update_kind;
  json::object made{{"kind", to_word(change.kind)}};
  if (is_of_edge(change.kind)) {
    made["edge"] = to_json(change.edge);
    return made;
  }
  made["node"] = to_string(change.node);
  if (change.kind != node_delete)
    made["members"] = change.members;
  return made;
}

result<graph_difference> read_change(const json::value& value) {
  const auto* const from = value.if_object();
  if (from == nullptr)
    return no_update("is not an object", "", "type");
  const auto kind = from_word<update_kind>(text_of(*from, "kind"));
  if (!kind || *kind == update_kind::bulk)
    return no_update("is not a kind of change", "/kind", "enum");
  graph_difference made{.kind = *kind};
  if (is_of_edge(*kind)) {
    auto edge = read_graph_edge(object_of(*from, "edge"));
    if (!edge) {
      auto what = std::move(edge).error();
      what.pointer = "/edge" + what.pointer;
      return fail(std::move(what));
    }
    made.edge = *std::move(edge);
    return made;
  }
  auto key = read_graph_key(text_of(*from, "node"));
  if (!key)
    return no_update("is not written kind:id", "/node", "pattern");
  made.node = *std::move(key);
  if (*kind == update_kind::node_delete)
    return made;
  const auto* const members = from->if_contains("members");
  if (members == nullptr || !members->is_object())
    return no_update("\"members\" is missing or no object", "/members",
                     "required");
  made.members = members->get_object();
  return made;
}

} // namespace

json::object to_json(const graph_update& update) {
  json::array changes;
  changes.reserve(update.changes.size());
  for (const auto& each : update.changes)
    changes.push_back(change_json(each));
  return {
    {"update_id", update.update_id},       {"at", format_timestamp(update.at)},
    {"update_kind", to_word(update.kind)}, {"node_delta", update.node_delta},
    {"edge_delta", update.edge_delta},     {"changes", std::move(changes)}};
}

result<graph_update> read_update(const json::value& value) {
  const auto* const from = value.if_object();
  if (from == nullptr)
    return no_update("is not an object", "", "type");
  const auto id = integer_of(*from, "update_id");
  if (!id || *id < 1)
    return no_update("is missing or no positive number", "/update_id",
                     "required");
  const auto at = parse_timestamp(text_of(*from, "at"));
  if (!at)
    return no_update("is missing or no time", "/at", "required");
  const auto* const list = from->if_contains("changes");
  if (list == nullptr || !list->is_array())
    return no_update("is missing or no array", "/changes", "required");
  std::vector<graph_difference> changes;
  for (const auto& each : list->get_array()) {
    auto change = read_change(each);
    if (!change) {
      auto what = std::move(change).error();
      what.pointer = "/changes/" + std::to_string(changes.size())
                     + what.pointer;
      return fail(std::move(what));
    }
    changes.push_back(*std::move(change));
  }
  auto made = make_update(static_cast<std::uint64_t>(*id), *at,
                          std::move(changes));
  if (integer_of(*from, "node_delta") != made.node_delta
      || integer_of(*from, "edge_delta") != made.edge_delta
      || text_of(*from, "update_kind") != to_word(made.kind))
    return no_update("the deltas and the kind are not those of the changes", "",
                     "graph_deltas");
  return made;
}

} // namespace convene::protocol
