#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <convene/server/runs/hosted_run.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace convene::server {

/// What a token lets its bearer answer, and until when.
struct interrupt_claim {
  std::string run_id;
  std::string node_id;
  std::string interrupt_id;
  protocol::timestamp_ms expires_at = 0;
};

/// For how long a token counts, if what it answers does not end before.
inline constexpr protocol::timestamp_ms interrupt_token_ms
  = protocol::timestamp_ms{30} * 60 * 1'000;

[[nodiscard]] std::string make_token(const token_signer& by,
                                     const interrupt_claim& what);

/// Nothing: nobody here has made this token.
[[nodiscard]] std::optional<interrupt_claim> read_token(const token_signer& by,
                                                        std::string_view token);

[[nodiscard]] bool has_expired(const interrupt_claim& what);

/// Adds a token to each of a snapshot's open interrupts that one may answer,
/// and that of the current node again as `interrupt`.
void add_tokens(boost::json::object& snapshot, const hosted_run& run,
                const token_signer& by);

/// What an interrupt that can be answered asks, as its event says, with the
/// latest turns of a conversation, their `turnCount` and the `schema` of what
/// they say; nothing: it cannot be answered any more.
[[nodiscard]] std::optional<boost::json::object>
describe_open(hosted_run& run, const std::string& node_id,
              const std::string& interrupt_id,
              std::size_t turns_most = std::numeric_limits<std::size_t>::max());

/// What an open interrupt asks for, for who has its token; it may not be
/// durable yet. Nothing: it is not open any more.
[[nodiscard]] std::optional<boost::json::object>
describe_interrupt(hosted_run& run, const interrupt_claim& what);

} // namespace convene::server
