#include <convene/actors/restarts.hpp>

#include <algorithm>
#include <utility>

namespace convene::actors {

restarts::restarts(std::size_t participants, const session::restart& how)
  : how_{how}, lives_(participants) {
  // nop
}

std::optional<std::int64_t> restarts::die(session::participant_index who) {
  auto& one = lives_[who];
  if (one.deaths >= how_.limit)
    return std::nullopt;
  one.away = true;
  constexpr std::int64_t doublings_max = 20;
  return how_.backoff_ms << std::min(one.deaths++, doublings_max);
}

bool restarts::is_away(session::participant_index who) const {
  return who < lives_.size() && lives_[who].away;
}

const std::vector<protocol::uuid>&
restarts::tokens(session::participant_index who) const {
  return lives_[who].tokens;
}

bool restarts::hold(session::delivery& what, const session::machine& now) {
  auto& one = lives_[what.to];
  std::erase_if(one.tokens, [&](const auto& earlier) {
    return !now.awaits(what.to, earlier);
  });
  one.tokens.push_back(what.what.token);
  if (!one.away)
    return false;
  std::erase_if(one.waiting, [&](const auto& earlier) {
    return !now.awaits(what.to, earlier.token);
  });
  one.waiting.push_back(std::move(what.what));
  return true;
}

std::vector<session::request>
restarts::come_back(session::participant_index who) {
  lives_[who].away = false;
  return std::exchange(lives_[who].waiting, {});
}

} // namespace convene::actors
