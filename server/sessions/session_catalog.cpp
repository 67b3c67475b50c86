#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/server/sessions/session_catalog.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

using protocol::object_of;
using protocol::text_of;
namespace json = protocol::json;

json::object parsed(std::string_view line) {
  auto event = protocol::parse_json(line);
  return event && event->is_object() ? std::move(event->get_object())
                                     : json::object{};
}

} // namespace

session_catalog::entry& session_catalog::entry_of(std::string_view id) {
  const auto [found, is_new] = places_.try_emplace(std::string{id});
  if (is_new)
    found->second
      = entries_.emplace_hint(entries_.end(), next_position_++,
                              entry{.row = {.session_id = std::string{id}}});
  return found->second->second;
}

/// What its row says, with the lock held.
void session_catalog::update(entry& of, std::string_view type,
                             const json::object& event) {
  const auto& payload = object_of(event, "payload");
  if (type == "MAPSessionStarted") {
    of.row.status = "active"; // it may have been a draft
    of.row.mode = text_of(payload, "mode");
    of.row.title = protocol::cut_utf8(text_of(payload, "title"),
                                      session_row::title_bytes_max);
    open_ += of.row.started_at.empty() ? 1U : 0U;
    of.row.started_at = text_of(event, "timestamp");
    of.people = session_people{object_of(payload, "spec")};
  } else if (type == "MAPSessionCompleted") {
    of.row.status = text_of(payload, "status");
    open_ -= of.row.started_at.empty() || of.row.ended ? 0U : 1U;
    of.row.ended = true;
  } else if (type == "session_input") {
    const auto input = text_of(payload, "input");
    if (input == "suspend" || input == "resume")
      of.row.status = input == "suspend" ? "suspended" : "active";
  }
}

std::optional<request_change> session_catalog::feed(std::string_view line) {
  const auto head = host::head_of(line);
  if (head.session_id.empty())
    return std::nullopt;
  entry* of = nullptr;
  {
    const std::lock_guard held{mutex_};
    of = &entry_of(head.session_id);
    of->is_fed = true;
  }
  const auto type = head.event_type;
  const bool is_of_row = type == "MAPSessionStarted"
                         || type == "MAPSessionCompleted"
                         || type == "session_input"
                         || session::session_gist::concerns(type);
  const bool is_of_people = of->people.concerns(type);
  json::object event;
  if (is_of_row || is_of_people)
    event = parsed(line);
  {
    const std::lock_guard held{mutex_};
    if (is_of_row) {
      update(*of, type, event);
      of->row.gist.add(type, event);
    }
    of->row.last_event_at = head.timestamp;
    ++of->row.events;
    touched_.insert(of->row.session_id);
    touched_people_ = touched_people_ || !of->people.empty();
  }
  return is_of_people ? change_of(of->people, event) : std::nullopt;
}

bool session_catalog::add_draft(session_row row) {
  row.title.resize(
    protocol::cut_utf8(row.title, session_row::title_bytes_max).size());
  const std::lock_guard held{mutex_};
  if (places_.contains(row.session_id))
    return false;
  entry_of(row.session_id).row = std::move(row);
  return true;
}

void session_catalog::drop_draft(const std::string& id) {
  drop(id, [](const entry& one) {
    return !one.is_fed && one.row.status == session_row::draft;
  });
}

void session_catalog::drop_ended(const std::string& id) {
  drop(id, [](const entry& one) { return one.row.ended; });
}

void session_catalog::drop(const std::string& id,
                           const std::function<bool(const entry&)>& may) {
  std::vector<waiter> due;
  {
    const std::lock_guard held{mutex_};
    const auto found = places_.find(id);
    if (found == places_.end() || !may(found->second->second))
      return;
    entries_.erase(found->second);
    places_.erase(found);
    if (const auto waiting = waiters_.find(id); waiting != waiters_.end()) {
      due = std::move(waiting->second);
      waiters_.erase(waiting);
    }
  }
  for (const auto& one : due)
    one.then();
}

bool session_catalog::tell() {
  std::vector<std::function<void()>> due;
  bool people = false;
  {
    const std::lock_guard held{mutex_};
    people = std::exchange(touched_people_, false);
    for (const auto& id : std::exchange(touched_, {})) {
      const auto found = waiters_.find(id);
      const auto place = places_.find(id);
      if (found == waiters_.end() || place == places_.end())
        continue;
      const auto& row = place->second->second.row;
      auto& all = found->second;
      const auto rest = std::partition(all.begin(), all.end(), [&](auto& one) {
        return row.events <= one.after && !row.ended;
      });
      for (auto at = rest; at != all.end(); ++at)
        due.push_back(std::move(at->then));
      all.erase(rest, all.end());
      if (all.empty())
        waiters_.erase(found);
    }
  }
  for (const auto& call : due)
    call();
  return people;
}

void session_catalog::close() {
  decltype(waiters_) due;
  {
    const std::lock_guard held{mutex_};
    closed_ = true;
    due.swap(waiters_);
  }
  for (const auto& [id, all] : due)
    for (const auto& one : all)
      one.then();
}

bool session_catalog::is_closed() const {
  const std::lock_guard held{mutex_};
  return closed_;
}

void session_catalog::let_go(const std::string& id) {
  const std::lock_guard held{mutex_};
  elsewhere_.insert(id);
}

void session_catalog::take_back(const std::string& id) {
  const std::lock_guard held{mutex_};
  elsewhere_.erase(id);
}

bool session_catalog::is_elsewhere(const std::string& id) const {
  const std::lock_guard held{mutex_};
  return elsewhere_.contains(id);
}

bool session_catalog::is_closed_for(const std::string& id) const {
  const std::lock_guard held{mutex_};
  return closed_ || elsewhere_.contains(id);
}

void session_catalog::call_waiters(const std::string& id) {
  std::vector<waiter> due;
  {
    const std::lock_guard held{mutex_};
    if (const auto found = waiters_.find(id); found != waiters_.end()) {
      due = std::move(found->second);
      waiters_.erase(found);
    }
  }
  for (const auto& one : due)
    one.then();
}

std::optional<session_row> session_catalog::find(std::string_view id) const {
  const std::lock_guard held{mutex_};
  const auto found = places_.find(std::string{id});
  if (found == places_.end())
    return std::nullopt;
  return found->second->second.row;
}

std::size_t session_catalog::open() const {
  const std::lock_guard held{mutex_};
  // What moved to another node is open there.
  const auto moved
    = std::ranges::count_if(elsewhere_, [this](const std::string& id) {
        const auto found = places_.find(id);
        return found != places_.end()
               && !found->second->second.row.started_at.empty()
               && !found->second->second.row.ended;
      });
  return open_ - static_cast<std::size_t>(moved);
}

bool session_query::admits(const session_row& row) const {
  return (status.empty() || row.status == status)
         && (mode.empty() || row.mode == mode)
         && (condition.empty() || row.gist.condition() == condition)
         && (!has_failures || *has_failures == (row.gist.failures() > 0))
         && (text.empty() || session::has_in_any_case(row.title, text)
             || session::has_in_any_case(row.session_id, text)
             || row.gist.mentions(text));
}

std::string start_key(std::string_view started_at,
                      std::string_view session_id) {
  std::string made{started_at};
  made += '~'; // after all digits
  return made += session_id;
}

session_catalog::page
session_catalog::list_by_start(const session_query& of) const {
  using keyed = std::pair<std::string, const session_row*>;
  const auto is_before = [&](const keyed& a, const keyed& b) {
    return of.newest_first ? a.first > b.first : a.first < b.first;
  };
  const keyed after{of.after_key, nullptr};
  std::vector<keyed> best; // a heap, with the last one of these at its front
  page made;
  const std::lock_guard held{mutex_};
  for (const auto& [position, one] : entries_) {
    keyed it{start_key(one.row.started_at, one.row.session_id), &one.row};
    if ((!after.first.empty() && !is_before(after, it))
        || (best.size() > of.limit && !is_before(it, best.front()))
        || !is_listed(one.row) || !of.admits(one.row))
      continue;
    best.push_back(std::move(it));
    std::ranges::push_heap(best, is_before);
    if (best.size() > of.limit + 1) {
      std::ranges::pop_heap(best, is_before);
      best.pop_back();
    }
  }
  std::ranges::sort_heap(best, is_before);
  if (best.size() > of.limit) {
    best.pop_back();
    made.next_key = best.back().first;
  }
  for (const auto& it : best)
    made.rows.push_back(*it.second);
  return made;
}

session_catalog::page session_catalog::list(const session_query& of) const {
  if (of.by_start)
    return list_by_start(of);
  page made;
  const std::lock_guard held{mutex_};
  // Whether the page has room for another one.
  const auto take = [&](const entry& one) {
    if (!is_listed(one.row) || !of.admits(one.row))
      return true;
    if (made.rows.size() == of.limit)
      return false;
    made.rows.push_back(one.row);
    return true;
  };
  if (of.newest_first) {
    auto at = of.after == 0 ? entries_.end() : entries_.lower_bound(of.after);
    for (auto last = std::size_t{0}; at != entries_.begin();) {
      --at;
      const auto before = made.rows.size();
      if (!take(at->second)) {
        made.next = last; // the last one that is shown: what follows is older
        break;
      }
      if (made.rows.size() > before)
        last = at->first;
    }
    return made;
  }
  for (auto at = entries_.lower_bound(of.after); at != entries_.end(); ++at)
    if (!take(at->second)) {
      made.next = at->first; // the first one that is not shown
      break;
    }
  return made;
}

session_sums session_catalog::sums(const session_query& of) const {
  session_sums made;
  const auto count = [](auto& words, std::string_view word) {
    if (!word.empty()
        && (words.size() < session_sums::words_max
            || words.contains(std::string{word})))
      ++words[std::string{word}];
  };
  const std::lock_guard held{mutex_};
  for (const auto& [position, one] : entries_) {
    if (!is_listed(one.row))
      continue;
    count(made.statuses, one.row.status);
    count(made.modes, one.row.mode);
    count(made.conditions, one.row.gist.condition());
    made.completed_with_failures
      += one.row.status == "completed" && one.row.gist.failures() > 0 ? 1U : 0U;
    made.matching += of.admits(one.row) ? 1U : 0U;
  }
  return made;
}

std::size_t session_catalog::when_more(const std::string& id,
                                       std::uint64_t after,
                                       std::function<void()> then,
                                       clock::time_point expires) {
  const std::lock_guard held{mutex_};
  if (closed_)
    return 0;
  const auto found = places_.find(id);
  if (found != places_.end()) {
    const auto& row = found->second->second.row;
    if (row.events > after || row.ended)
      return 0;
  }
  auto& all = waiters_[id];
  const auto now = clock::now();
  std::erase_if(all, [now](const waiter& one) { return one.expires < now; });
  all.push_back({++last_number_, after, std::move(then), expires});
  return last_number_;
}

void session_catalog::forget(const std::string& id, std::size_t number) {
  std::function<void()> dropped; // after the lock is gone
  const std::lock_guard held{mutex_};
  const auto found = waiters_.find(id);
  if (found == waiters_.end())
    return;
  auto& all = found->second;
  const auto at = std::ranges::find(all, number, &waiter::number);
  if (at == all.end())
    return;
  dropped = std::move(at->then);
  all.erase(at);
  if (all.empty())
    waiters_.erase(found);
}

std::size_t session_catalog::waiting() const {
  const std::lock_guard held{mutex_};
  std::size_t count = 0;
  for (const auto& [id, all] : waiters_)
    count += all.size();
  return count;
}

} // namespace convene::server
