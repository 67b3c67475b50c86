#include <convene/protocol/graph/graph_rules.hpp>
#include <convene/protocol/graph/graph_store.hpp>

#include <utility>

namespace convene::protocol {
namespace {

/// Which of the updates before `next` are missing.
std::string missing_updates(std::uint64_t last, std::uint64_t next) {
  const auto from = std::to_string(last + 1);
  return last + 2 == next ? from + " is"
                          : from + " to " + std::to_string(next - 1) + " are";
}

} // namespace

json::object to_json(const sync_metadata& sync) {
  json::object made{{"last_update_id", sync.last_update_id},
                    {"node_count", sync.node_count},
                    {"edge_count", sync.edge_count}};
  if (sync.last_update_at)
    made["last_update_at"] = format_timestamp(*sync.last_update_at);
  return made;
}

graph_store::graph_store(project_graph graph, std::uint64_t last_update_id,
                         const lifecycle_policy& policy)
  : state_{std::move(graph), {}}, policy_{policy} {
  sync_.last_update_id = last_update_id;
  sync_.node_count = state_.graph.nodes().size();
  sync_.edge_count = state_.graph.edge_count();
}

graph_transaction graph_store::begin() const {
  return {state_, commits_, policy_};
}

result<std::optional<graph_update>>
graph_store::commit(graph_transaction transaction, timestamp_ms at) {
  if (transaction.begun_at_ != commits_)
    return fail(errc::not_allowed,
                "the graph has changed since the transaction began ("
                  + std::to_string(commits_ - transaction.begun_at_)
                  + " others were committed); begin another from what it is "
                    "now",
                "graph_changed");
  transaction.note_changes();
  if (!transaction.changed_.empty())
    return fail(errc::not_allowed,
                to_string(*transaction.changed_.begin())
                  + " was changed after its document was put; change the "
                    "document, and put that",
                "document_differs");
  auto& made = transaction.state_;
  auto differences = compare(state_.graph, made.graph);
  const judged_change change{
    state_.graph, made.graph, differences,
    [&](const graph_key& object) -> const json::object* {
      const auto* const found = state_.documents.find(object);
      return found == nullptr ? nullptr : found->value.get();
    },
    [&](const graph_key& object) {
      return transaction.accepted_.contains(object)
             && made.graph.find(object) != nullptr;
    }};
  if (auto ok = check_differences(change, policy_); !ok)
    return fail(std::move(ok).error());
  for (const auto& each : differences)
    if (each.kind == update_kind::node_delete)
      made.documents.erase(each.node);
  ++commits_;
  if (differences.empty()) {
    state_ = std::move(made);
    return std::nullopt;
  }
  auto update = make_update(sync_.last_update_id + 1, at,
                            std::move(differences));
  publish(std::move(made), update);
  return update;
}

result<void> graph_store::apply(const graph_update& update) {
  const auto last = sync_.last_update_id;
  if (update.update_id <= last)
    return fail(errc::not_allowed,
                "update " + std::to_string(update.update_id)
                  + " was applied already; the last one is "
                  + std::to_string(last),
                "update_repeated");
  if (update.update_id != last + 1)
    return fail(errc::invalid_document,
                "update " + std::to_string(update.update_id) + " came, and "
                  + missing_updates(last, update.update_id)
                  + " missing; get them, or begin from a newer snapshot",
                "update_gap");
  auto made = state_;
  if (auto done = apply_changes(made.graph, update.changes); !done)
    return done;
  const auto delta = [](std::size_t before, std::size_t after) {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  };
  if (delta(state_.graph.nodes().size(), made.graph.nodes().size())
        != update.node_delta
      || delta(state_.graph.edge_count(), made.graph.edge_count())
           != update.edge_delta)
    return fail(errc::invalid_document,
                "the deltas of update " + std::to_string(update.update_id)
                  + " are not those of its changes",
                "graph_deltas");
  for (const auto& each : update.changes)
    if (each.kind == update_kind::node_delete)
      made.documents.erase(each.node);
  ++commits_;
  publish(std::move(made), update);
  return {};
}

void graph_store::publish(graph_state state, graph_update update) {
  state_ = std::move(state);
  sync_ = {.last_update_id = update.update_id,
           .last_update_at = update.at,
           .node_count = state_.graph.nodes().size(),
           .edge_count = state_.graph.edge_count()};
  unpublished_.push_back(std::move(update));
  if (publishes_)
    return;
  publishes_ = true;
  // What a subscriber throws leaves the rest for the next update.
  const auto done
    = std::shared_ptr<void>(nullptr, [this](void*) { publishes_ = false; });
  while (!unpublished_.empty()) {
    const auto next = std::move(unpublished_.front());
    unpublished_.pop_front();
    const auto all = subscribers_;
    for (const auto& [number, of] : all)
      if (of->since < next.update_id && subscribers_.contains(number))
        of->to(next);
  }
}

std::uint64_t graph_store::subscribe(subscriber to) {
  subscribers_.emplace(
    next_subscriber_,
    std::make_shared<const subscription>(std::move(to), sync_.last_update_id));
  return next_subscriber_++;
}

void graph_store::unsubscribe(std::uint64_t number) {
  subscribers_.erase(number);
}

} // namespace convene::protocol
