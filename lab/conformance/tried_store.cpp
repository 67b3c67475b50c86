#include <convene/lab/conformance/tried_store.hpp>

namespace convene::testing {

using namespace host;

std::optional<std::string> tried_store::get(const std::string& key) {
  return value_of<std::optional<std::string>>("get", [&](auto then) {
    store_->get(key, std::move(then));
  });
}

texts tried_store::snapshots() {
  return value_of<texts>("snapshots", [&](auto then) {
    store_->snapshots(std::move(then));
  });
}

state_page tried_store::scan(const state_scan& which) {
  return value_of<state_page>("scan", [&](auto then) {
    store_->scan(which, std::move(then));
  });
}

texts tried_store::keys(const std::string& prefix, std::size_t limit) {
  texts all;
  state_scan which{.prefix = prefix, .limit = limit};
  for (;;) {
    const auto page = scan(which);
    expect(page.entries.size() <= limit, "a page of a scan exceeds its limit");
    for (const auto& each : page.entries)
      all.push_back(each.key);
    const bool moves = !page.entries.empty() && all.back() > which.after;
    expect(moves || !page.more,
           "a scan says that more follows, and shows none");
    if (!page.more || !moves)
      return all;
    which.after = all.back();
  }
}

texts tried_store::event_ids(state_event_query which) {
  texts all;
  for (;;) {
    const auto page = value_of<state_event_page>("events", [&](auto then) {
      store_->events(which, std::move(then));
    });
    const auto before = which.after;
    for (const auto& each : page.events) {
      all.push_back(each.event.event_id);
      expect(each.number > which.after, "the numbers of events do not grow");
      which.after = each.number;
    }
    expect(which.after > before || !page.more,
           "a page of events says that more follows, and shows none");
    if (!page.more || which.after <= before)
      return all;
  }
}

std::vector<state_record> tried_store::records() {
  std::vector<state_record> all;
  expect_rule(rule_of<void>([&](auto then) {
                store_->visit(
                  [&all](const state_record& each) -> protocol::result<void> {
                    all.push_back(each);
                    return {};
                  },
                  std::move(then));
              }),
              "", "visit");
  return all;
}

std::vector<std::string>
check_state_store(const state_store_maker& make_empty) {
  texts wrong;
  const std::pair<const char*, void (*)(tried_store&)> parts[]{
    {"values", try_values},
    {"scans", try_scans},
    {"transactions", try_transactions},
    {"events", try_events},
    {"queries of events", try_event_queries},
    {"snapshots", try_snapshots},
    {"the number of snapshots", try_snapshot_limit},
    {"bounds", try_bounds},
    {"names", try_names},
    {"visit and fill", try_whole},
    {"threads", try_threads}};
  for (const auto& [name, part] : parts) {
    tried_store store{make_empty, name, wrong};
    if (store.is_there())
      part(store);
  }
  return wrong;
}

} // namespace convene::testing
