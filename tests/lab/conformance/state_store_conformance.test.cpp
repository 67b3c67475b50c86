#include <catch2/catch.hpp>
#include <convene/lab/conformance/state_store_conformance.hpp>
#include <convene/runtime/data/state_store/memory_store.hpp>
#include <convene/runtime/data/state_store/sqlite_store.hpp>
#include <runtime/log/event_log/files.hpp>

#include <utility>

using namespace convene;
using namespace convene::host;
using convene::testing::check_state_store;

namespace {

/// A store that does one thing wrong.
class spoiled_store final : public state_store {
public:
  enum class fault : std::uint8_t {
    none,
    ignores_expectations,
    loses_events,
    forgets_snapshots,
    scans_past_the_prefix,
    restores_nothing,
  };

  explicit spoiled_store(fault what) : what_{what} {}

  void get(std::string key,
           when_state<std::optional<std::string>> then) override {
    to_->get(std::move(key), std::move(then));
  }
  void scan(state_scan which, when_state<state_page> then) override {
    if (what_ == fault::scans_past_the_prefix)
      which.prefix.clear();
    to_->scan(std::move(which), std::move(then));
  }
  void events(state_event_query which,
              when_state<state_event_page> then) override {
    if (what_ == fault::loses_events)
      which.after = std::max<std::uint64_t>(which.after, 1);
    to_->events(std::move(which), std::move(then));
  }
  void commit(state_transaction what, when_state<void> then) override {
    if (what_ == fault::ignores_expectations)
      what.expected.clear();
    to_->commit(std::move(what), std::move(then));
  }
  void take_snapshot(std::string name, when_state<void> then) override {
    if (what_ == fault::forgets_snapshots)
      return then({});
    to_->take_snapshot(std::move(name), std::move(then));
  }
  void snapshots(when_state<std::vector<std::string>> then) override {
    to_->snapshots(std::move(then));
  }
  void restore(std::string name, when_state<void> then) override {
    if (what_ == fault::restores_nothing)
      return then({});
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
  const fault what_;
  const std::unique_ptr<state_store> to_ = make_memory_store();
};

std::vector<std::string> faults_of(spoiled_store::fault what) {
  return check_state_store(
    [what] { return std::make_unique<spoiled_store>(what); });
}

} // namespace

TEST_CASE("the stores of convene conform") {
  CHECK(check_state_store([] { return make_memory_store(); })
        == std::vector<std::string>{});
  const tests::scratch_folder folder;
  int made = 0;
  CHECK(check_state_store([&] {
          return open_sqlite_store(folder / (std::to_string(++made) + ".db"))
            .value();
        })
        == std::vector<std::string>{});
}

TEST_CASE("a store that does one thing wrong does not conform") {
  using enum spoiled_store::fault;
  CHECK(faults_of(none).empty());
  for (const auto what : {ignores_expectations, loses_events, forgets_snapshots,
                          scans_past_the_prefix, restores_nothing})
    CHECK_FALSE(faults_of(what).empty());
}

TEST_CASE("a maker without a store is reported") {
  const auto wrong = check_state_store([] { return nullptr; });
  REQUIRE_FALSE(wrong.empty());
  CHECK(wrong.front() == "values: there is no store");
}
