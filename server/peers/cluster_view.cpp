#include <convene/server/peers/cluster_view.hpp>

#include <stop_token>
#include <string_view>

namespace convene::server {

using protocol::fail;
using protocol::result;

namespace {

protocol::error too_many() {
  return {.code = protocol::errc::limit_reached,
          .message = "too many requests wait for the cluster's database",
          .rule = "cluster_waiting_max"};
}

protocol::error mute() {
  return {.code = protocol::errc::io_failed,
          .message = "the cluster's database has not answered, and is asked "
                     "again in a moment",
          .rule = "cluster_mute"};
}

host::postgres_options hurried(host::postgres_options how,
                               std::stop_token stop) {
  how.stop = std::move(stop);
  return how;
}

template <class Orders>
std::vector<std::string_view> ids_of(const Orders& of) {
  std::vector<std::string_view> ids;
  ids.reserve(of.size());
  for (const auto& [id, then] : of)
    ids.emplace_back(id);
  return ids;
}

} // namespace

cluster_view::cluster_view(host::postgres_options database)
  : database_{hurried(std::move(database), hurry_.get_token())},
    thread_{[this](const std::stop_token& stop) { run(stop); }} {}

cluster_view::~cluster_view() {
  stop();
}

void cluster_view::stop() {
  if (!thread_.joinable())
    return;
  thread_.request_stop();
  hurry_.request_stop();
  thread_.join();
  orders left;
  {
    const std::lock_guard lock{mutex_};
    std::swap(left, orders_);
    is_stopped_ = true;
  }
  const protocol::error stopped{.code = protocol::errc::not_allowed,
                                .message = "the server is stopping",
                                .rule = "server_stopping"};
  for (auto& [id, then] : left.finds)
    then(fail(stopped));
  for (auto& then : left.lists)
    then(fail(stopped));
}

template <class Then>
void cluster_view::order(std::vector<Then> orders::*list, Then what) {
  {
    const std::lock_guard lock{mutex_};
    if (!is_stopped_ && orders_.size() < waiting_max) {
      (orders_.*list).push_back(std::move(what));
      ordered_.notify_one();
      return;
    }
  }
  if constexpr (requires { what.second; })
    what.second(fail(too_many()));
  else
    what(fail(too_many()));
}

void cluster_view::find(const std::string& session_id, when_found then) {
  if (auto known = remembered(session_id, false))
    return then(std::move(known));
  if (bool asks = false; is_mute(asks)) {
    auto known = remembered(session_id, true);
    if (known && asks)
      order(&orders::finds, std::pair{session_id, when_found{[](auto&&) {}}});
    if (known)
      return then(std::move(known));
    if (!asks)
      return then(fail(mute()));
  }
  order(&orders::finds, std::pair{session_id, std::move(then)});
}

bool cluster_view::is_mute(bool& orders_probe) {
  const std::lock_guard lock{mutex_};
  if (!mute_at_)
    return false;
  const auto now = clock::now();
  orders_probe = now - *mute_at_ > probe_pause;
  if (orders_probe)
    mute_at_ = now;
  return true;
}

void cluster_view::note_answer(bool has_come) {
  const std::lock_guard lock{mutex_};
  if (has_come)
    mute_at_.reset();
  else
    mute_at_ = clock::now();
}

void cluster_view::forget(const std::string& session_id) {
  const std::lock_guard lock{mutex_};
  places_.erase(session_id);
}

void cluster_view::list(when_listed then, bool anew) {
  std::optional<std::vector<host::cluster_node>> known;
  {
    const std::lock_guard lock{mutex_};
    if (!anew && nodes_at_ && clock::now() - *nodes_at_ < fresh)
      known = nodes_;
  }
  if (known)
    return then(*std::move(known));
  order(&orders::lists, std::move(then));
}

std::vector<host::cluster_node> cluster_view::last_list() const {
  const std::lock_guard lock{mutex_};
  return nodes_;
}

void cluster_view::run(const std::stop_token& stop) {
  for (;;) {
    orders taken;
    {
      std::unique_lock lock{mutex_};
      if (!ordered_.wait(lock, stop, [this] { return orders_.size() != 0; }))
        return;
      if (stop.stop_requested())
        return;
      std::swap(taken, orders_);
    }
    carry_out(std::move(taken));
  }
}

void cluster_view::carry_out(orders what) {
  if (!what.lists.empty())
    list_all(what);
  if (!what.finds.empty())
    find_all(what);
}

result<host::postgres_connection*> cluster_view::connection() {
  if (!opened_) {
    auto made = host::cluster_database::open(database_, false);
    if (!made)
      return fail(std::move(made).error());
    opened_.emplace(*std::move(made));
  }
  return opened_->connection();
}

void cluster_view::find_all(orders& what) {
  const auto ids = ids_of(what.finds);
  const auto found = connection().and_then(
    [&](auto* in) { return host::find_sessions(*in, ids); });
  note_answer(found.has_value());
  if (!found) {
    for (auto& [id, then] : what.finds)
      if (auto known = remembered(id, true))
        then(std::move(known));
      else
        then(fail(found.error()));
    return;
  }
  std::unordered_map<std::string_view, const host::session_place*> places;
  for (const auto& one : *found) {
    remember(one);
    places[one.session_id] = &one;
  }
  for (auto& [id, then] : what.finds) {
    const auto at = places.find(id);
    if (at == places.end())
      forget(id);
    then(at == places.end() ? std::nullopt : std::optional{*at->second});
  }
}

void cluster_view::list_all(orders& what) {
  auto found
    = connection().and_then([](auto* in) { return host::list_nodes(*in); });
  note_answer(found.has_value());
  if (found) {
    const std::lock_guard lock{mutex_};
    nodes_ = *found;
    nodes_at_ = clock::now();
  }
  for (auto& then : what.lists)
    then(found);
}

void cluster_view::remember(const host::session_place& one) {
  const auto now = clock::now();
  const std::lock_guard lock{mutex_};
  if (places_.size() >= places_max && !places_.contains(one.session_id)) {
    std::erase_if(places_, [&](const auto& each) {
      return now - each.second.at > fresh;
    });
    if (places_.size() >= places_max)
      places_.clear();
  }
  places_.insert_or_assign(one.session_id, seen_place{one, now});
}

std::optional<host::session_place>
cluster_view::remembered(const std::string& session_id, bool also_old) const {
  const std::lock_guard lock{mutex_};
  const auto found = places_.find(session_id);
  if (found == places_.end()
      || (!also_old && clock::now() - found->second.at > fresh))
    return std::nullopt;
  return found->second.is;
}

} // namespace convene::server
