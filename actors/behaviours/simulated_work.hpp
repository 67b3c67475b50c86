#pragma once

#include <convene/actors/behaviours/distribution.hpp>
#include <convene/actors/behaviours/draw.hpp>
#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::actors {

/// The longest text and value that is simulated.
inline constexpr std::int64_t simulated_bytes_max = 1'000'000;

/// A write of one of the resources, by this share of the completed replies.
struct simulated_writes {
  double share = 0;
  std::vector<protocol::resource_ref> resources;
  double stale = 0;         ///< of the writes: based on the version before
  distribution value_bytes; ///< of the text that is written

  bool operator==(const simulated_writes&) const = default;
};

/// A claim of one of the resources, likewise; with the writes, if any.
struct simulated_claims {
  double share = 0;
  std::vector<protocol::resource_ref> resources;

  bool operator==(const simulated_claims&) const = default;
};

/// A handoff to one of the others, by this share of the turns.
struct simulated_handoffs {
  double share = 0;
  std::vector<std::string> to; ///< participant ids

  bool operator==(const simulated_handoffs&) const = default;
};

/// A new task, by this share of the completed replies.
struct simulated_tasks {
  double share = 0;
  std::string role; ///< whom it is for; empty: anyone

  bool operator==(const simulated_tasks&) const = default;
};

/// What each answer uses, whatever it answers.
struct simulated_usage {
  distribution prompt_tokens;
  distribution completion_tokens;
  distribution cost_microusd;

  bool operator==(const simulated_usage&) const = default;
};

/// What a simulated participant does besides answering.
struct simulated_work {
  std::optional<distribution> content_bytes; ///< instead of a given text
  simulated_writes writes;
  simulated_claims claims;
  simulated_handoffs handoffs;
  simulated_tasks tasks;
  simulated_usage usage;

  bool operator==(const simulated_work&) const = default;
};

/// What the answer to a request uses.
[[nodiscard]] protocol::usage usage_of(const simulated_usage& how,
                                       const request_draws& from);

/// Adds to a completed reply what it does. Both are pure functions of the
/// request and the draws.
void add_work(const simulated_work& how, const turn_request& asked,
              const request_draws& from, protocol::reply& to);

} // namespace convene::actors
