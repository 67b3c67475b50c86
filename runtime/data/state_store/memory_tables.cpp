#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/state_store/memory_store.hpp>
#include <convene/runtime/data/state_store/state_rules.hpp>
#include <convene/runtime/data/state_store/state_tables.hpp>
#include <convene/runtime/data/state_store/tables_store.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {

using namespace protocol;

namespace {

std::string global_key(std::string_view event_id) {
  return state_key(state_area::events_global, event_id);
}

std::string trace_key(const state_event& event) {
  return state_key(state_key(state_area::events_trace, event.trace_id),
                   event.event_id);
}

/// How many entries an event has.
std::size_t keys_of(const state_event& event) {
  return event.trace_id.empty() ? 1 : 2;
}

/// What they have, besides the value, for which only one of them counts.
std::size_t key_bytes_of(const state_event& event) {
  return global_key(event.event_id).size()
         + (event.trace_id.empty() ? 0 : trace_key(event).size());
}

/// Values in a map that snapshots share until it changes.
class memory_tables final : public state_tables {
public:
  explicit memory_tables(const memory_store_limits& limits) : limits_{limits} {}

  result<std::optional<std::string>> get(const std::string& key) override {
    const auto found = now_.all->find(key);
    if (found == now_.all->end())
      return std::nullopt;
    return *found->second;
  }

  result<state_page> scan(const state_scan& which) override {
    state_page page;
    std::size_t bytes = 0;
    auto at = which.after < which.prefix ? now_.all->lower_bound(which.prefix)
                                         : now_.all->upper_bound(which.after);
    for (; at != now_.all->end() && at->first.starts_with(which.prefix); ++at) {
      page.more = page.entries.size() == which.limit
                  || bytes >= state_page_bytes_max;
      if (page.more)
        break;
      page.entries.push_back({at->first, *at->second});
      bytes += at->first.size() + at->second->size();
    }
    return page;
  }

  result<state_event_page> events(const state_event_query& which) override {
    static const numbers none;
    const auto listed = [](const auto& index, const std::string& id) {
      const auto found = index.find(id);
      return found == index.end() ? &none : &found->second;
    };
    // All of them, where neither is named.
    const auto* only = !which.trace_id.empty()
                         ? listed(now_.by_trace, which.trace_id)
                       : !which.context_id.empty()
                         ? listed(now_.by_context, which.context_id)
                         : nullptr;
    const auto count = only ? only->size() : now_.events.size();
    auto at = only ? static_cast<std::size_t>(
                std::ranges::upper_bound(*only, which.after) - only->begin())
                   : std::min<std::size_t>(which.after, count);
    state_event_page page;
    std::size_t bytes = 0;
    for (; at < count; ++at) {
      const auto number = only ? (*only)[at] : at + 1;
      const auto& event = now_.events[number - 1];
      if (!which.context_id.empty() && event.context_id != which.context_id)
        continue;
      page.more = page.events.size() == which.limit
                  || bytes >= state_page_bytes_max;
      if (page.more)
        break;
      page.events.push_back({number, event.copy()});
      bytes += bytes_of(page.events.back().event);
    }
    return page;
  }

  result<void> commit(const state_transaction& what) override {
    for (const auto& each : what.expected) {
      const auto found = now_.all->find(each.key);
      const bool is_there = found != now_.all->end();
      if (is_there != each.value.has_value()
          || (is_there && *found->second != *each.value))
        return fail(not_as_expected(each.key));
    }
    auto keys = now_.all->size();
    auto bytes = now_.bytes;
    std::set<std::string_view> ids;
    for (const auto& each : what.events) {
      if (!ids.insert(each.event_id).second
          || now_.all->contains(global_key(each.event_id)))
        return fail(event_exists(each.event_id));
      keys += keys_of(each);
      bytes += key_bytes_of(each) + each.value.size();
    }
    std::map<std::string_view, const state_change*> last;
    for (const auto& each : what.changes)
      last[each.key] = &each;
    for (const auto& [key, change] : last) {
      if (const auto old = now_.all->find(key); old != now_.all->end()) {
        --keys;
        bytes -= key.size() + old->second->size();
      }
      if (change->value) {
        ++keys;
        bytes += key.size() + change->value->size();
      }
    }
    if (auto room = check_room(keys, bytes); !room)
      return room;
    for (const auto& [key, change] : last)
      now_.put(change->key, change->value ? std::make_shared<const std::string>(
                              *change->value)
                                          : nullptr);
    for (const auto& each : what.events)
      now_.append(each);
    return {};
  }

  result<void> take_snapshot(const std::string& name) override {
    if (find(name) != snapshots_.end())
      return fail(snapshot_exists(name));
    if (snapshots_.size() == state_snapshots_max)
      return fail(snapshots_full());
    snapshots_.push_back({name, now_.all});
    return {};
  }

  result<std::vector<std::string>> snapshots() override {
    std::vector<std::string> names;
    for (const auto& each : snapshots_)
      names.push_back(each.name);
    return names;
  }

  result<void> restore(const std::string& name) override {
    const auto found = find(name);
    if (found == snapshots_.end())
      return fail(snapshot_missing(name));
    auto made = std::make_shared<entries>(*now_.all);
    auto bytes = now_.bytes;
    std::erase_if(*made, [&](const auto& each) {
      const bool goes = !is_event_key(each.first);
      if (goes)
        bytes -= each.first.size() + each.second->size();
      return goes;
    });
    for (const auto& [key, value] : *found->all)
      if (!is_event_key(key)) {
        made->emplace(key, value);
        bytes += key.size() + value->size();
      }
    if (auto room = check_room(made->size(), bytes); !room)
      return room;
    now_.all = std::move(made);
    now_.bytes = bytes;
    return {};
  }

  result<void> drop_snapshot(const std::string& name) override {
    const auto found = find(name);
    if (found == snapshots_.end())
      return fail(snapshot_missing(name));
    snapshots_.erase(found);
    return {};
  }

  result<void> visit(const state_visitor& visit) override {
    for (const auto& [key, value] : *now_.all)
      if (!is_event_key(key))
        if (auto done = visit(state_entry{key, *value}); !done)
          return done;
    for (const auto& each : now_.events)
      if (auto done = visit(each.copy()); !done)
        return done;
    return {};
  }

  result<void> fill(const state_source& next) override {
    if (!now_.all->empty())
      return fail(not_empty());
    content made;
    for (;;) {
      const auto record = next();
      if (!record)
        return fail(record.error());
      if (!*record)
        break;
      if (auto fit = check_record(**record); !fit)
        return fit;
      if (const auto* entry = std::get_if<state_entry>(&**record)) {
        made.put(entry->key, std::make_shared<const std::string>(entry->value));
      } else {
        const auto& event = std::get<state_event>(**record);
        if (made.all->contains(global_key(event.event_id)))
          return fail(event_exists(event.event_id));
        made.append(event);
      }
      if (auto room = check_room(made.all->size(), made.bytes); !room)
        return room;
    }
    now_ = std::move(made);
    return {};
  }

private:
  using text = std::shared_ptr<const std::string>;
  using entries = std::map<std::string, text, std::less<>>;
  using numbers = std::vector<std::uint64_t>;

  struct kept_event {
    std::string event_id;
    std::string trace_id;
    std::string context_id;
    text value;

    [[nodiscard]] state_event copy() const {
      return {event_id, trace_id, context_id, *value};
    }
  };

  /// All that there is; events' keys are among the entries.
  struct content {
    std::shared_ptr<entries> all = std::make_shared<entries>();
    std::vector<kept_event> events; ///< number n at n - 1
    std::map<std::string, numbers, std::less<>> by_trace;
    std::map<std::string, numbers, std::less<>> by_context;
    std::size_t bytes = 0;

    /// Without a value, removes it.
    void put(const std::string& key, text value) {
      if (all.use_count() > 1) // a snapshot has it, too
        all = std::make_shared<entries>(*all);
      const auto found = all->find(key);
      if (found != all->end())
        bytes -= key.size() + found->second->size();
      if (value)
        bytes += key.size() + value->size();
      if (value && found != all->end())
        found->second = std::move(value);
      else if (value)
        all->emplace(key, std::move(value));
      else if (found != all->end())
        all->erase(found);
    }

    void append(const state_event& event) {
      const auto value = std::make_shared<const std::string>(event.value);
      put(global_key(event.event_id), value);
      events.push_back(
        {event.event_id, event.trace_id, event.context_id, value});
      if (!event.trace_id.empty()) {
        put(trace_key(event), value);
        bytes -= value->size(); // both share it
        by_trace[event.trace_id].push_back(events.size());
      }
      if (!event.context_id.empty())
        by_context[event.context_id].push_back(events.size());
    }
  };
  struct snapshot {
    std::string name;
    std::shared_ptr<const entries> all; ///< those of events are not restored
  };

  result<void> check_room(std::size_t keys, std::size_t bytes) const {
    if (keys <= limits_.keys && bytes <= limits_.bytes)
      return {};
    return fail(errc::limit_reached,
                "a store in memory has at most " + std::to_string(limits_.keys)
                  + " keys and " + std::to_string(limits_.bytes) + " bytes",
                "store_full");
  }

  std::vector<snapshot>::iterator find(const std::string& name) {
    return std::ranges::find(snapshots_, name, &snapshot::name);
  }

  const memory_store_limits limits_;
  content now_;
  std::vector<snapshot> snapshots_;
};

} // namespace

std::unique_ptr<state_store>
make_memory_store(const memory_store_limits& limits) {
  return std::make_unique<tables_store>(
    std::make_unique<memory_tables>(limits));
}

} // namespace convene::host
