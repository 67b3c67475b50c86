#include <convene/actors/behaviours/simulated_work.hpp>
#include <convene/session/workspace/view.hpp>

#include <algorithm>

namespace convene::actors {
namespace {

/// What a number is drawn for, after those of the answer itself. The order is
/// part of what a seed means.
enum work_purpose : std::uint8_t {
  text_size = 16,
  prompt_count,
  completion_count,
  cost,
  writes_at_all,
  written_one,
  written_stale,
  written_size,
  claims_at_all,
  claimed_one,
  hands_off,
  receiver,
  adds_task,
};

template <class Item>
const Item& one_of(const std::vector<Item>& all, double share) {
  const auto size = static_cast<double>(all.size());
  return all[std::min(all.size() - 1, static_cast<std::size_t>(share * size))];
}

/// Another text for each request, of exactly this size.
std::string text_of_size(const std::string& label, std::int64_t bytes) {
  auto text = "simulated " + label + ' ';
  text.resize(static_cast<std::size_t>(std::min(bytes, simulated_bytes_max)),
              '.');
  return text;
}

bool may_touch(const turn_request& asked, const protocol::resource_ref& what) {
  return asked.duty != "navigator"
         && (!asked.limited
             || std::ranges::find(asked.resources, what)
                  != asked.resources.end());
}

/// Based on the version that was shown, or the one before.
void add_write(const simulated_writes& how, const turn_request& asked,
               const request_draws& from, protocol::reply& to) {
  if (how.resources.empty() || from.uniform(writes_at_all) >= how.share)
    return;
  const auto& what = one_of(how.resources, from.uniform(written_one));
  if (!may_touch(asked, what))
    return;
  const auto* shown
    = asked.workspace.find({what.resource_type, what.resource_id});
  auto version = shown == nullptr ? 0 : shown->version;
  if (version > 0 && from.uniform(written_stale) < how.stale)
    --version;
  to.writes.push_back(
    {.resource_type = what.resource_type,
     .resource_id = what.resource_id,
     .base_version = static_cast<std::int64_t>(version),
     .value = protocol::json::value(text_of_size(
       from.label(), how.value_bytes.at(from.uniform(written_size))))});
}

void add_claim(const simulated_claims& how, const turn_request& asked,
               const request_draws& from, protocol::reply& to) {
  if (how.resources.empty() || from.uniform(claims_at_all) >= how.share)
    return;
  const auto& what = one_of(how.resources, from.uniform(claimed_one));
  if (may_touch(asked, what))
    to.claim.push_back(
      {.resource_type = what.resource_type, .resource_id = what.resource_id});
}

} // namespace

protocol::usage usage_of(const simulated_usage& how,
                         const request_draws& from) {
  return {.prompt_tokens = how.prompt_tokens.at(from.uniform(prompt_count)),
          .completion_tokens
          = how.completion_tokens.at(from.uniform(completion_count)),
          .cost_microusd = how.cost_microusd.at(from.uniform(cost))};
}

void add_work(const simulated_work& how, const turn_request& asked,
              const request_draws& from, protocol::reply& to) {
  if (how.content_bytes)
    to.content = text_of_size(from.label(),
                              how.content_bytes->at(from.uniform(text_size)));
  add_claim(how.claims, asked, from, to);
  add_write(how.writes, asked, from, to);
  if (from.uniform(adds_task) < how.tasks.share)
    to.tasks.push_back(
      {.title = "simulated task " + from.label(), .role = how.tasks.role});
  const auto& others = how.handoffs.to;
  if (asked.kind == session::request_kind::turn && !others.empty()
      && from.uniform(hands_off) < how.handoffs.share)
    to.handoff
      = protocol::handoff{.to = one_of(others, from.uniform(receiver))};
}

} // namespace convene::actors
