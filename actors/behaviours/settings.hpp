#pragma once

// The JSON form of behaviour settings; see protocol/codec/description.hpp.

#include <convene/actors/behaviours/script.hpp>
#include <convene/actors/behaviours/simulated.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/session/options/options.hpp>

#include <array>

namespace convene::protocol {

inline constexpr std::array<std::string_view, 2> on_failure_words{"fail",
                                                                  "skip"};
template <>
inline constexpr std::span<const std::string_view> words_of<actors::on_failure>{
  on_failure_words};

} // namespace convene::protocol

namespace convene::actors {

/// For a behaviour without settings.
struct no_settings {};

void describe(auto& v, protocol::of<no_settings> auto&) {
  v.ignored("type");
}

void describe(auto& v, protocol::of<plan_options> auto& x) {
  v.ignored("type");
  v.defaulted("retries", x.retries, protocol::between(0, 100));
  v.defaulted("on_failure", x.on_failure);
}

void describe(auto& v, protocol::of<script> auto& x) {
  v.ignored("type");
  v.defaulted("turns", x.turns);
  v.defaulted("after", x.after);
  v.defaulted("decisions", x.decisions);
  v.sparse("votes", x.votes, protocol::not_empty);
  v.defaulted("latency_ms", x.latency_ms,
              protocol::between(0, session::duration_ms_max));
  v.sparse("turn_latency_ms", x.turn_latency_ms,
           protocol::between(0, session::duration_ms_max));
  v.defaulted("repeat", x.repeat);
}

/// Resources or participants that a simulated one chooses from.
inline constexpr std::size_t simulated_choices_max = 1'000;

void describe(auto& v, protocol::of<simulated_writes> auto& x) {
  constexpr auto odds = protocol::between(0, 1);
  v.member("share", x.share, odds);
  v.member("resources", x.resources, protocol::at_most(simulated_choices_max));
  v.defaulted("stale", x.stale, odds);
  v.defaulted("value_bytes", x.value_bytes);
}

void describe(auto& v, protocol::of<simulated_claims> auto& x) {
  v.member("share", x.share, protocol::between(0, 1));
  v.member("resources", x.resources, protocol::at_most(simulated_choices_max));
}

void describe(auto& v, protocol::of<simulated_handoffs> auto& x) {
  v.member("share", x.share, protocol::between(0, 1));
  v.member("to", x.to, protocol::at_most(simulated_choices_max));
}

void describe(auto& v, protocol::of<simulated_tasks> auto& x) {
  v.member("share", x.share, protocol::between(0, 1));
  v.defaulted("role", x.role);
}

void describe(auto& v, protocol::of<simulated_usage> auto& x) {
  v.defaulted("prompt_tokens", x.prompt_tokens);
  v.defaulted("completion_tokens", x.completion_tokens);
  v.defaulted("cost_microusd", x.cost_microusd);
}

void describe(auto& v, protocol::of<simulation> auto& x) {
  constexpr auto odds = protocol::between(0, 1);
  v.ignored("type");
  v.defaulted("latency_ms", x.latency);
  v.defaulted("pace_percent", x.pace);
  v.defaulted("silence", x.silence, odds);
  v.defaulted("failure", x.failure, odds);
  v.defaulted("decline", x.decline, odds);
  v.defaulted("end", x.end, odds);
  v.defaulted("content", x.content);
  v.defaulted("content_bytes", x.work.content_bytes);
  v.defaulted("writes", x.work.writes);
  v.defaulted("claims", x.work.claims);
  v.defaulted("handoffs", x.work.handoffs);
  v.defaulted("tasks", x.work.tasks);
  v.defaulted("usage", x.work.usage);
}

/// A list of decisions, or a single one.
bool read(protocol::reading& r, const protocol::json::value& from,
          const protocol::place& at, const protocol::constraint& rule,
          script_decision& to);

/// A number, or the name of a distribution with its two numbers.
bool read(protocol::reading& r, const protocol::json::value& from,
          const protocol::place& at, const protocol::constraint& rule,
          distribution& to);

} // namespace convene::actors
