#include <convene/session/journal/journal.hpp>

#include <algorithm>

namespace convene::session {
namespace {

/// Ids of different purposes come from one key without ever meeting.
enum id_space : std::uint64_t { event_ids, token_ids, other_ids, dialog_ids };

} // namespace

protocol::uuid dialog_uuid(const protocol::uuid& key,
                           std::uint64_t n) noexcept {
  return protocol::derive_uuid(key, dialog_ids, n);
}

void journal::open(effects& out, protocol::timestamp_ms now) noexcept {
  now_ = std::clamp(now, now_, protocol::timestamp_max);
  out_ = &out;
  if (!uses_.empty())
    uses_.clear();
}

protocol::event_head journal::next_head() noexcept {
  return {.event_id = protocol::derive_uuid(key_, event_ids, event_count_++),
          .session_id = session_id_,
          .timestamp = now_};
}

void journal::count_usage(participant_index who, const protocol::usage& used) {
  if (used == protocol::usage{})
    return;
  counts_.usage = counts_.usage + used;
  auto& sum = used_by_[who];
  uses_.emplace_back(who, sum);
  sum = sum + used;
}

protocol::uuid journal::next_id() noexcept {
  return protocol::derive_uuid(key_, other_ids, id_count_++);
}

protocol::uuid journal::token_of(std::uint32_t turn_number) const noexcept {
  return protocol::derive_uuid(key_, token_ids, turn_number);
}

void journal::log_input(protocol::session_input what) {
  what.execution_id = next_id();
  append(what);
}

void journal::append_reasons(const protocol::actor_name& who,
                             std::uint32_t turn_number,
                             const protocol::uuid& token,
                             const protocol::reply& reply) {
  std::vector<protocol::given_reason> all;
  for (const auto& one : reply.reasoning)
    all.push_back({one});
  append(protocol::reasons_given{.who = who,
                                 .turn_number = turn_number,
                                 .token_id = token,
                                 .reasoning = all});
}

void journal::judge_line(std::size_t from) {
  auto why = gate_->refusal(out_->events.view().substr(from));
  if (why.empty())
    return;
  if (!omits_)
    throw refused_event{std::move(why)};
  out_->events.truncate(from);
  --out_->event_count;
}

journal::mark journal::here() const noexcept {
  return {.events = out_->events.size(),
          .lines = out_->event_count,
          .deliveries = out_->deliveries.size(),
          .notices = out_->notices.size(),
          .event_count = event_count_,
          .id_count = id_count_,
          .uses = uses_.size(),
          .counts = counts_};
}

bool journal::delivered_since(const mark& then,
                              const protocol::uuid& token) const {
  return std::any_of(out_->deliveries.begin()
                       + static_cast<std::ptrdiff_t>(then.deliveries),
                     out_->deliveries.end(),
                     [&](const delivery& d) { return d.what.token == token; });
}

void journal::rewind(const mark& to) {
  drop_events(to);
  out_->deliveries.resize(to.deliveries);
  out_->notices.resize(to.notices);
  out_->finished.reset();
  event_count_ = to.event_count;
  id_count_ = to.id_count;
  counts_ = to.counts;
  for (; uses_.size() > to.uses; uses_.pop_back()) {
    const auto& [who, before] = uses_.back();
    if (before == protocol::usage{})
      used_by_.erase(who);
    else
      used_by_[who] = before;
  }
}

} // namespace convene::session
