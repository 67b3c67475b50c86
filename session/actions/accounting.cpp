#include <convene/session/actions/accounting.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace convene::session {
namespace {

std::optional<std::int64_t> left_of(const std::optional<std::int64_t>& most,
                                    std::int64_t used) {
  if (!most)
    return std::nullopt;
  return std::max<std::int64_t>(*most - used, 0);
}

} // namespace

void account(journal& log, const budget& most, participant_index who,
             const protocol::action_attempt& attempt, std::string_view model,
             const protocol::usage& used) {
  if (used == protocol::usage{})
    return;
  const auto before = log.counts().usage;
  log.count_usage(who, used);
  const auto& total = log.counts().usage;
  const auto tokens = total_tokens(total);
  log.append(protocol::usage_recorded{
    .attempt = attempt,
    .model = model,
    .used = used,
    .total = total,
    .tokens_left = left_of(most.tokens, tokens),
    .microusd_left = left_of(most.cost_microusd, total.cost_microusd)});
  const auto note = [&](std::string_view name,
                        const std::optional<std::int64_t>& limit,
                        std::int64_t earlier, std::int64_t now) {
    if (limit && earlier < *limit && now >= *limit)
      log.append(protocol::budget_exceeded{
        .attempt = attempt, .budget = name, .used = now, .limit = *limit});
  };
  note("tokens", most.tokens, total_tokens(before), tokens);
  note("cost_microusd", most.cost_microusd, before.cost_microusd,
       total.cost_microusd);
}

} // namespace convene::session
