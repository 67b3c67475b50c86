#pragma once

#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/http/http_message.hpp>
#include <convene/runtime/outside/participants/a2a_surroundings.hpp>
#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// A remote agent as its card describes it; for sources in this folder only.
// Pure.

namespace convene::host {

/// How an agent's operations are called.
enum class a2a_binding : std::uint8_t { http_json, json_rpc };

/// What is needed to call an agent.
struct a2a_agent {
  std::string url;    ///< of the interface, without a slash at the end
  std::string origin; ///< of that URL
  a2a_binding binding = a2a_binding::http_json;
  bool is_legacy = false; ///< it speaks A2A 0.3, not 1.0 (a2a_legacy.hpp)
  std::string tenant;     ///< empty: none
  http_header key;        ///< empty name: none is wanted

  bool operator==(const a2a_agent&) const = default;
};

/// Whether both are the same but for the case of letters.
[[nodiscard]] bool same_text(std::string_view a, std::string_view b);

/// What is wrong with a card.
struct card_fault {
  std::string_view code;
  std::string message; ///< goes on after "the agent card of ..."
};

/// The header that carries the key as the card wants it; empty name: none is
/// wanted, and none is there.
[[nodiscard]] tl::expected<http_header, card_fault>
key_for(const protocol::json::object& card, const std::string& key);

/// The longest card that is read.
inline constexpr std::size_t agent_card_bytes_max = 1U << 20;

/// Chooses the first interface of a card that we can call: the first one of A2A
/// 1.0, else of 0.3. Codes of errors:
/// - `agent_card_invalid`: it is no agent card;
/// - `agent_version_unsupported`: it has no interface of these versions that is
///   HTTP+JSON or JSONRPC;
/// - `agent_host_refused`: an interface is where no call is allowed, or would
///   be called without TLS although the card came with it;
/// - `agent_extension_required`: it can be called only with an extension;
/// - `agent_key_missing`: it wants a key, and there is none;
/// - `agent_key_refused`: the key would go to a host that nobody named;
/// - `agent_security_unsupported`: it wants neither a bearer token nor a key in
///   a header.
[[nodiscard]] tl::expected<a2a_agent, protocol::action_error>
read_agent_card(std::string_view text, const std::string& card_url,
                const std::string& key, const host_judge& may);

} // namespace convene::host
