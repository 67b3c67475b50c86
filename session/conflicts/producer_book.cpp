#include <convene/session/conflicts/producer_book.hpp>

#include <algorithm>

namespace convene::session {

producer_book::change producer_book::note(const resource_name& what,
                                          step_index by, bool claimed,
                                          bool was_written, bool deletes) {
  using enum protocol::node_change;
  const resource_key key{std::string{what.type}, std::string{what.id}};
  const auto known = producers_.find(key);
  if (deletes) {
    const auto lost = known == producers_.end() ? 0 : std::ssize(known->second);
    if (known != producers_.end())
      producers_.erase(known);
    if (claimed || !was_written)
      return {updated, {.nodes = 0, .edges = -lost}};
    return {removed, {.nodes = -1, .edges = -lost - 1}};
  }
  const bool adds = !was_written && !claimed;
  const auto gained = adds ? 1 : 0;
  if (by == no_step
      || (known != producers_.end()
          && std::ranges::find(known->second, by) != known->second.end()))
    return {adds ? added : updated, {.nodes = gained, .edges = gained}};
  producers_[key].push_back(by);
  return {adds ? added : updated, {.nodes = gained, .edges = gained + 1}};
}

} // namespace convene::session
