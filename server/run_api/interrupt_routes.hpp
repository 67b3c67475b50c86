#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <convene/server/runs/run_host.hpp>

namespace convene::server {

// Answers to what nodes ask. `host` must outlive them.

/// POST .../interrupts/{nodeId} and :resolveInterrupt, by who has a key.
[[nodiscard]] handler resolve_interrupt(run_host& host);

/// GET /v1/interrupts/{token}: what is asked, for who has a token. 410
/// `interrupt_expired` after its time, 409 `interrupt_already_resolved` once
/// the interrupt has ended, 404 for what is no token.
[[nodiscard]] handler inspect_token(run_host& host, const token_signer& signer);

/// POST /v1/interrupts/{token}: likewise answers it.
[[nodiscard]] handler resolve_token(run_host& host, const token_signer& signer);

} // namespace convene::server
