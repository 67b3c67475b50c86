#include <convene/session/conflicts/claim_book.hpp>

#include <algorithm>

namespace convene::session {

participant_index claim_book::holder(const resource_name& what) const {
  if (claims_.empty())
    return no_participant;
  const auto found = claims_.find(what);
  return found == claims_.end() ? no_participant : found->second.holder;
}

void claim_book::take(const resource_name& what, const claim& to) {
  earliest_ = claims_.empty() ? to.expires_at
                              : std::min(earliest_, to.expires_at);
  const auto found = claims_.find(what);
  if (found != claims_.end())
    found->second = to;
  else
    claims_.emplace(resource_key{std::string{what.type}, std::string{what.id}},
                    to);
}

void claim_book::release(const resource_name& what) {
  if (const auto found = claims_.find(what); found != claims_.end())
    claims_.erase(found);
}

std::optional<resource_key> claim_book::expired(protocol::timestamp_ms now) {
  if (claims_.empty() || now < earliest_)
    return std::nullopt;
  const auto first = std::ranges::min_element(
    claims_, {}, [](const auto& entry) { return entry.second.expires_at; });
  earliest_ = first->second.expires_at;
  return earliest_ <= now ? std::optional{first->first} : std::nullopt;
}

std::vector<resource_key> claim_book::held_by(participant_index who) const {
  std::vector<resource_key> all;
  for (const auto& [key, held] : claims_)
    if (held.holder == who)
      all.push_back(key);
  return all;
}

std::optional<protocol::timestamp_ms> claim_book::earliest() const {
  return claims_.empty() ? std::nullopt : std::optional{earliest_};
}

} // namespace convene::session
