// A state store of one's own: it counts the values that are written, and
// keeps them in another store. The conformance suite tries it, then a runtime
// writes into it. And a conflict strategy of one's own: the longer text stands.
#include <convene/convene.hpp>
#include <convene/lab/conformance/state_store_conformance.hpp>
#include <convene/runtime/data/state_store/memory_store.hpp>
#include <convene/session/options/application_strategy.hpp>

#include <atomic>
#include <iostream>
#include <memory>

using namespace convene;
using namespace convene::host;

namespace {

class counting_store final : public state_store {
public:
  std::atomic<int> documents = 0;

  void get(std::string key,
           when_state<std::optional<std::string>> then) override {
    to_->get(std::move(key), std::move(then));
  }
  void scan(state_scan which, when_state<state_page> then) override {
    to_->scan(std::move(which), std::move(then));
  }
  void events(state_event_query which,
              when_state<state_event_page> then) override {
    to_->events(std::move(which), std::move(then));
  }
  void commit(state_transaction what, when_state<void> then) override {
    documents += static_cast<int>(what.changes.size());
    to_->commit(std::move(what), std::move(then));
  }
  void take_snapshot(std::string name, when_state<void> then) override {
    to_->take_snapshot(std::move(name), std::move(then));
  }
  void snapshots(when_state<std::vector<std::string>> then) override {
    to_->snapshots(std::move(then));
  }
  void restore(std::string name, when_state<void> then) override {
    to_->restore(std::move(name), std::move(then));
  }
  void drop_snapshot(std::string name, when_state<void> then) override {
    to_->drop_snapshot(std::move(name), std::move(then));
  }
  void visit(state_visitor visit, when_state<void> then) override {
    to_->visit(std::move(visit), std::move(then));
  }
  void fill(state_source next, when_state<void> then) override {
    to_->fill(std::move(next), std::move(then));
  }

private:
  const std::unique_ptr<state_store> to_ = make_memory_store();
};

constexpr session::application_strategy longest{
  .name = "longest",
  .summary = "the longer text stands",
  .settle = [](const session::contested_write& what) {
    const auto size = [](const json::value* of) {
      return of != nullptr && of->is_string() ? of->get_string().size() : 0;
    };
    return size(what.later) > size(what.current)
             ? session::conflict_ruling{.outcome
                                        = session::resolution_kind::replace,
                                        .reason = "the later one is longer"}
             : session::conflict_ruling{.reason = "the later one is no longer"};
  }};

/// Writes the plan as it was when the session began.
participant writer(const char* id, const char* text) {
  return quick_agent(id, "writer", [text](const turn_request&) {
    return reply{.writes = {{.resource_type = "doc",
                             .resource_id = "plan",
                             .base_version = 1,
                             .value = text}}};
  });
}

int report(const error& why) {
  std::cerr << to_string(why) << '\n';
  return 1;
}

} // namespace

int main() {
  const auto wrong = testing::check_state_store(
    [] { return std::make_unique<counting_store>(); });
  for (const auto& each : wrong)
    std::cerr << each << '\n';
  if (!wrong.empty())
    return 1;

  if (auto added = session::add_strategy(longest); !added)
    return report(added.error());
  const auto store = std::make_shared<counting_store>();
  auto rt = runtime::open({.store = store});
  if (!rt)
    return report(rt.error());
  options how;
  how.conflicts = {.strategy = session::conflict_strategy::application,
                   .name = "longest"};
  const auto result
    = (*rt)
        ->start({.participants = {writer("ada", "a plan of some length"),
                                  writer("bo", "a plan")},
                 .task = "Write the plan",
                 .workspace = {{"doc", "plan", "no plan"}},
                 .options = how})
        .await();
  if (!result)
    return report(result.error());
  if (auto closed = (*rt)->close(); !closed)
    return report(closed.error());
  std::cout << "conflicts: " << result->conflicts
            << ", documents stored: " << store->documents << '\n';
  return store->documents >= 4 && result->conflicts == 1 ? 0 : 1;
}
