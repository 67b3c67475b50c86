#include <convene/runtime/data/cluster/append_attempt.hpp>
#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/postgres/postgres_error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace convene::host {

using namespace protocol;

append_attempt::append_attempt(std::span<const fenced_events> groups) {
  all_.reserve(groups.size());
  for (const auto& one : groups) {
    all_.push_back({.what = &one, .end = {}});
    if (one.lines.empty())
      all_.back().end = append_end::kept;
  }
}

bool append_attempt::is_done() const noexcept {
  return std::ranges::all_of(all_, [](const state& one) {
    return one.end.has_value();
  });
}

std::vector<append_end> append_attempt::ends() const {
  std::vector<append_end> made;
  made.reserve(all_.size());
  for (const auto& one : all_)
    made.push_back(*one.end);
  return made;
}

result<void> append_attempt::advance(postgres_connection& in) {
  return std::ranges::any_of(all_, &state::is_unknown) ? look(in) : send(in);
}

void append_attempt::fence(state& which) {
  which.is_fenced = true;
  if (which.may_arrive) // read once more: from now on nothing arrives
    which.is_unknown = true;
  else
    which.end = append_end::fenced;
}

/// Compares with rows of the log, from the place of the first event on.
void append_attempt::compare(state& with, const postgres_rows& found,
                             std::size_t first, std::size_t end) {
  const auto& what = *with.what;
  with.is_unknown = false;
  std::size_t same = 0;
  while (same < what.lines.size() && first + same < end
         && found.number(first + same, 1)
              == what.place + static_cast<std::int64_t>(same)
         && found.number(first + same, 2) == what.epoch
         && found.text(first + same, 3) == what.lines[same])
    ++same;
  if (same == what.lines.size())
    with.end = append_end::kept;
  else if (first < end || with.is_fenced) // others' events, or none any more
    with.end = append_end::fenced;
}

result<void> append_attempt::look(postgres_connection& in) {
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> firsts;
  std::vector<std::int64_t> lasts;
  for (const auto& one : all_) {
    if (!one.is_unknown)
      continue;
    ids.push_back(one.what->session_id);
    firsts.push_back(one.what->place);
    lasts.push_back(one.what->place
                    + static_cast<std::int64_t>(one.what->lines.size()) - 1);
  }
  const auto found
    = in.query("SELECT t.number, e.place, e.epoch, e.line "
               "FROM unnest($1::uuid[], $2, $3) WITH ORDINALITY "
               "AS t (id, first, last, number) "
               "JOIN convene_cluster.events e ON e.session_id = t.id "
               "AND e.place BETWEEN t.first AND t.last "
               "ORDER BY t.number, e.place",
               {ids, firsts, lasts});
  if (!found)
    return fail(found.error());
  std::size_t at = 0;
  std::int64_t number = 0;
  for (auto& one : all_) {
    if (!one.is_unknown)
      continue;
    ++number;
    const auto first = at;
    while (at < found->size() && found->number(at, 0) == number)
      ++at;
    compare(one, *found, first, at);
  }
  return {};
}

result<void> append_attempt::send(postgres_connection& in) {
  std::vector<state*> sent;
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> epochs;
  std::vector<std::int64_t> shifts;  // from the number of a line to its place
  std::vector<std::int64_t> numbers; // of each line's session
  std::vector<std::string_view> lines;
  for (auto& one : all_) {
    if (one.end)
      continue;
    sent.push_back(&one);
    ids.push_back(one.what->session_id);
    epochs.push_back(one.what->epoch);
    shifts.push_back(one.what->place
                     - static_cast<std::int64_t>(lines.size() + 1));
    lines.insert(lines.end(), one.what->lines.begin(), one.what->lines.end());
    numbers.resize(lines.size(), static_cast<std::int64_t>(sent.size()));
  }
  // FOR SHARE waits for a take-over that is not committed, and sees its epoch;
  // a take-over waits for it. Without it a former owner could append what the
  // new one has not read.
  const auto held = in.query(
    "WITH held AS MATERIALIZED (SELECT s.number, s.shift, o.session_id, "
    "o.epoch "
    "FROM unnest($1::uuid[], $2, $3) WITH ORDINALITY "
    "AS s (id, epoch, shift, number) "
    "JOIN convene_cluster.owners o ON o.session_id = s.id "
    "AND o.epoch = s.epoch ORDER BY o.session_id FOR SHARE OF o), "
    "added AS (INSERT INTO convene_cluster.events "
    "(session_id, place, epoch, line) "
    "SELECT h.session_id, h.shift + t.number, h.epoch, t.line "
    "FROM unnest($4, $5) WITH ORDINALITY AS t (session, line, number) "
    "JOIN held h ON h.number = t.session ORDER BY h.session_id, t.number) "
    "SELECT number FROM held",
    {ids, epochs, shifts, numbers, lines});
  if (!held) {
    const bool is_there = held.error().rule == postgres_rule::exists;
    const bool is_unknown = has_unknown_outcome(held.error());
    if (is_there || is_unknown)
      for (auto* one : sent) {
        one->is_unknown = true;
        one->may_arrive |= is_unknown;
      }
    return is_there ? result<void>{} : fail(held.error());
  }
  for (std::size_t i = 0; i < held->size(); ++i)
    sent[static_cast<std::size_t>(held->number(i, 0) - 1)]->end
      = append_end::kept;
  for (auto* one : sent)
    if (!one->end)
      fence(*one);
  return {};
}

} // namespace convene::host
