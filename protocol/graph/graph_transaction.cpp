#include <convene/protocol/graph/document_nodes.hpp>
#include <convene/protocol/graph/graph_rules.hpp>
#include <convene/protocol/graph/graph_store.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/document_change.hpp>

namespace convene::protocol {
namespace {

const json::object* find_document(const graph_state& in,
                                  const graph_key& object) {
  const auto* const found = in.documents.find(object);
  return found == nullptr ? nullptr : found->value.get();
}

const json::object* role_by_name(const graph_state& in, std::string_view name) {
  const auto role = find_role(in.graph, name);
  return role ? find_document(in, *role) : nullptr;
}

/// The one that was requested last.
const json::object* latest_confirm(const graph_state& in,
                                   std::string_view target_id) {
  const json::object* latest = nullptr;
  for (std::size_t i = 0; i < words_of<module>.size(); ++i) {
    const graph_key target{object_kind(static_cast<module>(i)),
                           std::string{target_id}};
    for (const auto& key :
         in.graph.sources(graph_edge_kind::confirms, target)) {
      const auto* const one = find_document(in, key);
      if (one != nullptr
          && (latest == nullptr
              || text_of(*latest, "requested_at")
                   <= text_of(*one, "requested_at")))
        latest = one;
    }
  }
  return latest;
}

} // namespace

object_lookup graph_transaction::lookup() const {
  return {.find = [this](module which,
                         std::string_view id) -> const json::object* {
            const auto* const found = document(which, id);
            return found == nullptr && which == module::role
                     ? role_by_name(state_, id)
                     : found;
          },
          .confirm_about
          = [this](std::string_view id) { return latest_confirm(state_, id); }};
}

const json::object* graph_transaction::document(module which,
                                                std::string_view id) const {
  return find_document(state_, {object_kind(which), std::string{id}});
}

result<lifecycle_events> graph_transaction::put(module which,
                                                const json::object& document) {
  const auto id = text_of(document, std::string{to_word(which)} + "_id");
  auto events = check_change(which, this->document(which, id), document,
                             lookup(), policy_);
  if (!events)
    return events;
  if (auto done = take(which, document); !done)
    return fail(std::move(done).error());
  accepted_.insert({object_kind(which), std::string{id}});
  return events;
}

result<void> graph_transaction::take(module which,
                                     const json::object& document) {
  note_changes();
  auto made = state_;
  if (auto done = put_document(made.graph, which, document); !done)
    return done;
  const graph_key key{
    object_kind(which),
    std::string{text_of(document, std::string{to_word(which)} + "_id")}};
  auto kept = std::make_shared<const json::object>(document);
  if (auto* const is = made.documents.edit(key))
    is->value = std::move(kept);
  else
    made.documents.insert(key, std::move(kept));
  state_ = std::move(made);
  seen_ = state_.graph;
  accepted_.erase(key);
  changed_.erase(key);
  return {};
}

/// Which objects that were put were changed since, other than by `take`.
void graph_transaction::note_changes() {
  part_owners before{seen_};
  part_owners after{state_.graph};
  for (const auto& each : compare(seen_, state_.graph)) {
    const bool of_edge = each.kind == update_kind::edge_add
                         || each.kind == update_kind::edge_delete;
    if (of_edge && is_fact(each.edge.kind))
      continue;
    const auto& node = of_edge ? each.edge.from : each.node;
    auto& owners = seen_.find(node) == nullptr ? after : before;
    if (const auto& object = owners.object_of(node);
        accepted_.contains(object) && state_.graph.find(object) != nullptr)
      changed_.insert(object);
  }
  seen_ = state_.graph;
}

} // namespace convene::protocol
