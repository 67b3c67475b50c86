#include <convene/session/conflicts/write_conflict.hpp>
#include <convene/session/workspace/merge.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace convene::session {
namespace {

using enum conflict_strategy;

resolution by_rank(const write_conflict& what, std::int64_t rank,
                   std::int64_t rank_against) {
  if (what.authors.empty())
    return {.reason = "what stands was there before anybody wrote"};
  if (rank > rank_against)
    return {.outcome = resolution_kind::replace,
            .strategy = hierarchy,
            .reason = "the later write has the higher rank"};
  if (rank < rank_against)
    return {.strategy = hierarchy,
            .reason = "the earlier write has the higher rank"};
  return {.reason = "the ranks are equal, so the first write stands"};
}

std::optional<json::value> joined(const write_conflict& what,
                                  const written& made) {
  if (!made.value || what.current->deleted || (what.base && what.base->deleted))
    return std::nullopt;
  // Two who make the same object at once have both changed an empty one.
  static const json::value nothing = json::object{};
  return join(what.base ? what.base->value : nothing, what.current->value,
              *made.value);
}

} // namespace

write_conflict find_write_conflict(const workspace& of,
                                   const resource_name& what,
                                   std::uint64_t base_version) {
  write_conflict found{.base = of.at(what, base_version),
                       .current = of.find(what)};
  found.traced = base_version == 0 || found.base;
  std::unordered_set<std::uint32_t> seen{author::nobody};
  auto version = found.current->version;
  while (version > base_version) {
    const auto one = of.at(what, version);
    found.traced &= one != nullptr;
    if (!one)
      break;
    found.versions.push_back(version);
    if (seen.insert(one->by.participant).second)
      found.authors.push_back(one->by);
    version = one->base;
  }
  std::ranges::reverse(found.versions);
  std::ranges::reverse(found.authors);
  return found;
}

resolution settle_tie(const write_conflict& what, std::int64_t rank,
                      std::int64_t rank_against) {
  auto ruled = by_rank(what, rank, rank_against);
  if (ruled.strategy != hierarchy && !what.authors.empty())
    return {.outcome = resolution_kind::ask, .strategy = escalation};
  return ruled;
}

bool has_opponents(const write_conflict& what, std::uint32_t writer) noexcept {
  return std::ranges::any_of(what.authors, [&](const author& one) {
    return one.participant != writer;
  });
}

resolution settle(conflict_strategy by, const write_conflict& what,
                  const written& made, std::int64_t rank,
                  std::int64_t rank_against) {
  if (!what.traced)
    return {.reason = "the base version is no longer kept"};
  switch (by) {
    case hierarchy:
      return by_rank(what, rank, rank_against);
    case last_write_wins:
      return {.outcome = resolution_kind::replace,
              .strategy = last_write_wins,
              .reason = "the later write stands"};
    case merge:
      if (auto both = joined(what, made))
        return {.outcome = resolution_kind::join,
                .strategy = merge,
                .reason = "the writes change different members",
                .joined = std::move(both)};
      return by_rank(what, rank, rank_against);
    case voting:
    case escalation:
      return {.outcome = resolution_kind::ask, .strategy = by};
    case first_write_wins:
    case application:
      break;
  }
  return {.reason = "the first write stands"};
}

} // namespace convene::session
