#include <convene/session/plan/plan_book.hpp>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace convene::session {
namespace {

using protocol::step_status;

bool is_open(step_status status) {
  return status == step_status::pending || status == step_status::in_progress;
}

bool is_failed(step_status status) {
  return status == step_status::failed || status == step_status::blocked;
}

} // namespace

plan_book::plan_book(protocol::plan what) : plan_(std::move(what)) {
  const auto count = plan_.steps.size();
  states_.resize(count);
  bool is_ordered = false;
  for (step_index i = 0; i < count; ++i) {
    const auto& step = plan_.steps[i];
    if (step.dependencies && !step.dependencies->empty())
      note_dependencies(i);
    open_ += is_open(step.status) ? 1 : 0;
    failed_ += is_failed(step.status) ? 1 : 0;
    is_ordered = is_ordered || step.order_index.has_value();
    if (is_open(step.status) && !waits(i))
      ready_.push_back(i);
  }
  if (is_ordered)
    std::ranges::sort(ready_, [this](step_index a, step_index b) {
      return before(a, b);
    });
}

void plan_book::note_dependencies(step_index i) {
  waits_for_.resize(plan_.steps.size());
  dependants_.resize(plan_.steps.size());
  for (const auto& id : *plan_.steps[i].dependencies) {
    const auto needed = index().at(id);
    dependants_[needed].push_back(i);
    if (plan_.steps[needed].status != step_status::completed)
      ++waits_for_[i];
  }
}

step_index plan_book::find(const std::string& step_id) const {
  const auto found = index().find(step_id);
  return found == index().end() ? no_step : found->second;
}

const std::unordered_map<std::string, step_index>& plan_book::index() const {
  // Most plans have no dependencies, and few sessions look for a step.
  for (auto i = by_id_.size(); i < plan_.steps.size(); ++i)
    by_id_.emplace(plan_.steps[i].step_id, static_cast<step_index>(i));
  return by_id_;
}

const ready_groups& plan_book::groups() const {
  if (!groups_) {
    groups_.emplace();
    for (const auto i : ready_)
      groups_->add(plan_.steps[i], states_[i], i);
  }
  return *groups_;
}

void plan_book::note_ready(step_index i) {
  if (groups_)
    groups_->add(plan_.steps[i], states_[i], i);
}

void plan_book::note_dropped(step_index i) {
  if (groups_)
    groups_->drop(plan_.steps[i], states_[i]);
}

void plan_book::assign(step_index i, participant_index to) {
  states_[i].assigned = to;
  groups_.reset(); // its kind may be another
}

void plan_book::settle(step_changes& out) {
  if (dependants_.empty())
    return;
  for (step_index i = 0; i < size(); ++i) {
    const auto status = plan_.steps[i].status;
    if (is_failed(status))
      spread(i, step_status::blocked, out);
    else if (status == step_status::skipped)
      spread(i, step_status::skipped, out);
  }
}

void plan_book::begin(step_index i, step_changes& out) {
  assert(!states_[i].live);
  drop_ready(i);
  hold_resources(i);
  states_[i].live = true;
  ++states_[i].attempts;
  if (plan_.steps[i].status == step_status::pending)
    set(i, step_status::in_progress, out);
}

void plan_book::release(step_index i, bool counts) {
  assert(states_[i].live);
  states_[i].live = false;
  if (!counts)
    --states_[i].attempts;
  free_resources(i);
  if (is_open(plan_.steps[i].status))
    make_ready(i);
}

void plan_book::close(step_index i, step_status as, step_changes& out) {
  const auto status = plan_.steps[i].status;
  if (is_open(status)) {
    // Not every end can be reached from every status: by in_progress if that
    // helps, and what cannot be reached at all has failed.
    if (as != step_status::skipped && !protocol::may_become(status, as))
      set(i, step_status::in_progress, out);
    move(i,
         protocol::may_become(plan_.steps[i].status, as) ? as
                                                         : step_status::failed,
         out);
  }
  if (std::exchange(states_[i].live, false))
    free_resources(i);
}

void plan_book::move(step_index i, step_status to, step_changes& out) {
  set(i, to, out);
  if (is_open(to))
    return;
  if (!states_[i].live)
    drop_ready(i);
  if (to == step_status::completed) {
    for (auto d : dependants(i))
      if (--waits_for_[d] == 0 && is_open(plan_.steps[d].status))
        make_ready(d);
  } else {
    spread(i, to == step_status::skipped ? to : step_status::blocked, out);
  }
}

step_index plan_book::add(protocol::plan_step step) {
  const auto i = static_cast<step_index>(size());
  plan_.steps.push_back(std::move(step));
  states_.emplace_back();
  ++open_;
  make_ready(i);
  return i;
}

bool plan_book::restore(std::vector<step_state> states) {
  if (states.size() != size())
    return false;
  states_ = std::move(states);
  groups_.reset();
  for (step_index i = 0; i < size(); ++i) {
    if (!states_[i].live)
      continue;
    const bool was_ready = drop_ready(i);
    if (was_ready != is_open(plan_.steps[i].status) || states_[i].attempts == 0)
      return false;
    if (held_resource(i) != nullptr)
      return false;
    hold_resources(i);
  }
  return true;
}

void plan_book::name_resources(step_index i, std::vector<std::string> names) {
  if (names.empty())
    return;
  states_[i].resources = std::move(names);
  if (drop_ready(i))
    make_ready(i);
}

const std::string* plan_book::held_resource(step_index i) const {
  const auto& names = states_[i].resources;
  const auto found = std::ranges::find_if(names, [this](const auto& name) {
    return held_.contains(name);
  });
  return found == names.end() ? nullptr : &*found;
}

bool plan_book::is_held(std::string_view type, std::string_view id) const {
  return held_.contains(id)
         || held_.contains(std::string{type}.append(1, '/').append(id));
}

void plan_book::hold_resources(step_index i) {
  const auto& names = states_[i].resources;
  if (names.empty())
    return;
  held_.insert(names.begin(), names.end());
  std::erase_if(ready_, [this](step_index other) {
    if (held_resource(other) == nullptr)
      return false;
    note_dropped(other);
    waiting_.push_back(other);
    return true;
  });
}

void plan_book::free_resources(step_index i) {
  for (const auto& name : states_[i].resources)
    held_.erase(name);
  if (states_[i].resources.empty())
    return;
  for (const auto other : std::exchange(waiting_, {}))
    make_ready(other);
}

void plan_book::set(step_index i, step_status to, step_changes& out) {
  auto& status = plan_.steps[i].status;
  out.push_back({i, status, to});
  open_ -= is_open(status) && !is_open(to) ? 1 : 0;
  failed_ += is_failed(to) && !is_failed(status) ? 1 : 0;
  protocol::change_status(status, to);
}

void plan_book::spread(step_index from, step_status to, step_changes& out) {
  std::vector<step_index> todo{from};
  while (!todo.empty()) {
    const auto i = todo.back();
    todo.pop_back();
    for (auto d : dependants(i)) {
      if (plan_.steps[d].status != step_status::pending)
        continue;
      set(d, to, out);
      todo.push_back(d);
    }
  }
}

bool plan_book::before(step_index a, step_index b) const {
  constexpr auto last = std::numeric_limits<std::int64_t>::max();
  return std::pair{plan_.steps[a].order_index.value_or(last), a}
         < std::pair{plan_.steps[b].order_index.value_or(last), b};
}

void plan_book::make_ready(step_index i) {
  if (held_resource(i) != nullptr) {
    waiting_.push_back(i);
    return;
  }
  note_ready(i);
  if (ready_.empty() || before(ready_.back(), i)) {
    ready_.push_back(i);
    return;
  }
  const auto at = std::ranges::lower_bound(
    ready_, i, [this](step_index a, step_index b) { return before(a, b); });
  ready_.insert(at, i);
}

/// Whether it was among them.
bool plan_book::drop_ready(step_index i) {
  if (!ready_.empty() && ready_.front() == i) {
    ready_.pop_front();
    note_dropped(i);
    return true;
  }
  const auto found = std::ranges::lower_bound(
    ready_, i, [this](step_index a, step_index b) { return before(a, b); });
  if (found == ready_.end() || *found != i)
    return std::erase(waiting_, i) != 0;
  ready_.erase(found);
  note_dropped(i);
  return true;
}

} // namespace convene::session
