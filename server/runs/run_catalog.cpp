#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/runs/hosted_run.hpp>
#include <convene/server/runs/run_catalog.hpp>

#include <algorithm>
#include <iterator>

namespace convene::server {
namespace {

using protocol::text_of;
using session::run_status;

/// "completed" of "run.completed"; nothing: the event does not end a run.
std::optional<run_status> end_of(std::string_view type) {
  constexpr std::string_view before = "run.";
  if (!type.starts_with(before))
    return std::nullopt;
  const auto found
    = protocol::from_word<run_status>(type.substr(before.size()));
  return found && is_end(*found) ? found : std::nullopt;
}

/// Adds a row to a page; false: it is full, and goes on there.
bool add(run_catalog::page& to, std::size_t limit, std::size_t place,
         const run_row& row) {
  if (to.rows.size() == limit) {
    to.next = place + 1;
    return false;
  }
  to.rows.push_back(row);
  return true;
}

} // namespace

std::vector<open_interrupt> open_interrupts(const session::run_machine& of) {
  std::vector<open_interrupt> all;
  if (of.is_replay())
    return all;
  const auto& nodes = of.state().nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const auto& asked = nodes[i].interrupt;
        nodes[i].status == session::run_node_status::suspended && asked
        && !asked->answer)
      all.push_back({.node_id = of.workflow().id_of(i),
                     .interrupt_id = asked->id,
                     .kind = asked->kind,
                     .deadline = nodes[i].deadline});
  return all;
}

run_row row_of(const protocol::uuid& id, const session::run_machine& of) {
  const auto& state = of.state();
  return {.id = id,
          .workflow_id = of.workflow().definition.id,
          .status = of.status(),
          .started_at = state.started_at,
          .ended_at = state.ended_at,
          .events = static_cast<std::size_t>(state.next_sequence),
          .waiting = open_interrupts(of)};
}

run_row& run_catalog::row_at(const protocol::uuid& run) {
  const auto [place, is_new] = places_.try_emplace(run, next_place_);
  if (is_new) {
    open_.insert(next_place_);
    rows_.emplace_hint(rows_.end(), next_place_++,
                       run_row{.id = run, .status = run_status::running});
  }
  return rows_.at(place->second);
}

void run_catalog::note_end(const protocol::uuid& run) {
  ended_ += open_.erase(places_.at(run));
}

void run_catalog::drop(const protocol::uuid& run) {
  const auto place = places_.find(run);
  if (is_end(rows_.at(place->second).status))
    --ended_;
  open_.erase(place->second);
  rows_.erase(place->second);
  places_.erase(place);
}

bool run_catalog::drop_ended(const protocol::uuid& run) {
  const std::lock_guard lock{mutex_};
  const auto found = places_.find(run);
  if (found == places_.end() || !is_end(rows_.at(found->second).status))
    return false;
  drop(run);
  return true;
}

template <class Take>
void run_catalog::visit_open(std::size_t from, Take take) const {
  auto at = from == 0 ? open_.end() : open_.lower_bound(from);
  while (at != open_.begin())
    if (!take(*--at))
      return;
}

void run_catalog::put(run_row row) {
  const std::lock_guard lock{mutex_};
  auto& into = row_at(row.id);
  if (row.events < into.events)
    return;
  if (is_end(row.status))
    note_end(row.id);
  row.is_broken = into.is_broken;
  into = std::move(row);
}

bool run_catalog::read(const protocol::uuid& run, std::string_view event) {
  const std::lock_guard lock{mutex_};
  auto& row = row_at(run);
  const bool is_first = row.events++ == 0;
  if (!is_first && !is_last_event(event))
    return is_end(row.status);
  const auto parsed = protocol::parse_json(event);
  const auto* members = parsed ? parsed->if_object() : nullptr;
  if (members == nullptr)
    return false;
  const auto type = text_of(*members, "type");
  const auto end = end_of(type);
  const auto at
    = protocol::parse_timestamp(text_of(*members, "timestamp")).value_or(0);
  if (is_first && !end) {
    row.has_beginning = type == "run.started";
    row.started_at = at;
    row.workflow_id = text_of(protocol::object_of(*members, "payload"),
                              "workflowId");
  } else if (end && (is_first || !row.has_beginning)) {
    drop(run);
  } else if (end) {
    row.status = *end;
    row.ended_at = at;
    note_end(run);
  }
  return end.has_value();
}

void run_catalog::mark_broken(const protocol::uuid& run) {
  const std::lock_guard lock{mutex_};
  if (const auto found = places_.find(run); found != places_.end())
    rows_.at(found->second).is_broken = true;
}

bool run_catalog::has_ended(const protocol::uuid& run) const {
  const std::lock_guard lock{mutex_};
  const auto found = places_.find(run);
  return found != places_.end() && is_end(rows_.at(found->second).status);
}

run_catalog::page
run_catalog::list(std::size_t from, std::size_t limit,
                  const std::vector<run_status>& wanted) const {
  const std::lock_guard lock{mutex_};
  page made;
  const auto take = [&](std::size_t place) {
    const auto& row = rows_.at(place);
    if (!wanted.empty()
        && std::ranges::find(wanted, row.status) == wanted.end())
      return true;
    return add(made, limit, place, row);
  };
  if (!wanted.empty() && std::ranges::none_of(wanted, session::is_end))
    visit_open(from, take);
  else
    for (auto at = from == 0 ? rows_.end() : rows_.lower_bound(from);
         at != rows_.begin() && take(std::prev(at)->first);)
      --at;
  return made;
}

run_catalog::page run_catalog::list_waiting(std::size_t from,
                                            std::size_t limit) const {
  const std::lock_guard lock{mutex_};
  page made;
  visit_open(from, [&](std::size_t place) {
    const auto& row = rows_.at(place);
    return row.waiting.empty() || add(made, limit, place, row);
  });
  return made;
}

std::optional<run_row> run_catalog::find(const protocol::uuid& run) const {
  const std::lock_guard lock{mutex_};
  const auto found = places_.find(run);
  return found == places_.end() ? std::nullopt
                                : std::optional{rows_.at(found->second)};
}

std::size_t run_catalog::ended() const {
  const std::lock_guard lock{mutex_};
  return ended_;
}

} // namespace convene::server
