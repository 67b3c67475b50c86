#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/protocol/text/pattern.hpp>
#include <convene/session/ending/ending.hpp>

#include <algorithm>
#include <cmath>

namespace convene::session {
namespace {

std::optional<held> reached(std::string_view condition, std::int64_t observed,
                            std::int64_t limit) {
  if (observed < limit)
    return std::nullopt;
  return held{condition, std::to_string(observed), limit};
}

std::optional<held> multiple(std::string_view condition, std::int64_t observed,
                             std::int64_t of) {
  if (observed == 0 || observed % of != 0)
    return std::nullopt;
  return held{condition, std::to_string(observed), of};
}

bool has_role(const participant_state& who, std::string_view role) {
  return role.empty() || goes_by(who, role);
}

} // namespace

void ending::record_reply(const participant_state& who,
                          std::string_view content) {
  for (auto& one : nodes_)
    if (one.kind == kind::text && one.found.empty() && has_role(who, one.role)
        && protocol::validation::is_found(*one.pattern, content))
      one.found = std::string{who.id} + ": " + protocol::shorten(content);
}

bool ending::rule(std::string_view name, bool holds,
                  std::string_view observed) {
  bool known = false;
  for (auto& one : nodes_) {
    if (one.kind != kind::custom || one.name != name)
      continue;
    known = true;
    one.holds = holds;
    one.found = one.name;
    if (!observed.empty())
      one.found.append(": ").append(observed);
  }
  return known;
}

std::vector<std::string> ending::customs() const {
  std::vector<std::string> names;
  for (const auto& one : nodes_)
    if (one.kind == kind::custom
        && std::ranges::find(names, one.name) == names.end())
      names.push_back(one.name);
  return names;
}

std::optional<held> ending::check(const observation& now) const {
  return nodes_.empty() ? std::nullopt : check(nodes_.front(), now);
}

std::optional<held> ending::check(const node& what,
                                  const observation& now) const {
  const auto& past = *now.progress;
  switch (what.kind) {
    case kind::all:
    case kind::any:
      return check_parts(what, now);
    case kind::none:
      if (check(nodes_[what.parts.front()], now))
        return std::nullopt;
      return held{"not", "the condition does not hold"};
    case kind::turns:
      return reached("turns", past.turns_closed(), what.limit);
    case kind::rounds:
      return what.limit < 0 ? multiple("rounds", past.rounds(), -what.limit)
                            : reached("rounds", past.rounds(), what.limit);
    case kind::duration_ms:
      return reached("duration_ms", now.now - now.started_at, what.limit);
    case kind::idle_ms:
      return reached("idle_ms", now.now - past.active_at(), what.limit);
    case kind::text:
      if (what.found.empty())
        return std::nullopt;
      return held{"text", what.found};
    case kind::votes:
      return check_votes(what, now);
    case kind::plan:
      if (now.plan == nullptr || now.plan->size() == 0 || now.plan->open() > 0)
        return std::nullopt;
      return held{"plan_complete", std::to_string(now.plan->size())};
    case kind::resource:
      return check_resource(what, now);
    case kind::tokens:
      return reached("tokens", total_tokens(now.usage), what.limit);
    case kind::cost_microusd:
      return reached("cost_microusd", now.usage.cost_microusd, what.limit);
    case kind::failures:
      return reached("failures", past.failures(), what.limit);
    case kind::no_progress:
      return reached("no_progress", past.stale_turns(), what.limit);
    case kind::stopped:
      if (!now.stopped)
        return std::nullopt;
      return held{"stopped", "from outside"};
    case kind::custom:
      if (!what.holds)
        return std::nullopt;
      return held{"custom", what.found};
  }
  return std::nullopt;
}

std::optional<held> ending::check_parts(const node& what,
                                        const observation& now) const {
  std::string observed;
  for (const auto part : what.parts) {
    auto one = check(nodes_[part], now);
    if (what.kind == kind::any && one)
      return one;
    if (what.kind == kind::all && !one)
      return std::nullopt;
    if (one)
      observed += (observed.empty() ? "" : "; ") + std::string{one->condition}
                  + ' ' + one->observed;
  }
  if (what.kind == kind::any)
    return std::nullopt;
  return held{"all", std::move(observed)};
}

std::optional<held> ending::check_resource(const node& what,
                                           const observation& now) {
  const auto* found = now.resources->find(name_of(what.resource));
  if (found == nullptr || found->deleted)
    return std::nullopt;
  if (what.pattern) {
    const auto* text = found->value.if_string();
    const auto shown = text != nullptr ? std::string{*text}
                                       : json::serialize(found->value);
    if (!protocol::validation::is_found(*what.pattern, shown))
      return std::nullopt;
  } else if (!protocol::same_value(found->value, what.value)) {
    return std::nullopt;
  }
  return held{"resource", what.resource.type + ' ' + what.resource.id + ": "
                            + protocol::shorten_value(found->value)};
}

std::optional<held> ending::check_votes(const node& what,
                                        const observation& now) const {
  const auto votes
    = std::ranges::count_if(now.participants, [](const auto& one) {
        return one.can_act() && one.votes_end;
      });
  const auto all = static_cast<double>(now.can_act);
  // The subtraction keeps 0.66 of 50 from asking for 34.
  const auto needed = what.share == 0 ? std::floor(all / 2) + 1
                                      : std::ceil(what.share * all - 1e-9);
  return reached("end_votes", votes,
                 std::max<std::int64_t>(1, static_cast<std::int64_t>(needed)));
}

std::optional<protocol::timestamp_ms>
ending::next_time(const observation& now) const {
  std::optional<protocol::timestamp_ms> next;
  for (const auto& one : nodes_) {
    if (one.kind != kind::duration_ms && one.kind != kind::idle_ms)
      continue;
    const auto from = one.kind == kind::duration_ms ? now.started_at
                                                    : now.progress->active_at();
    const auto at = from + one.limit;
    if (at > now.now && (!next || at < *next))
      next = at;
  }
  return next;
}

} // namespace convene::session
