#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <convene/server/runs/run_host.hpp>

#include <string>

namespace convene::server {

/// What the discovery document says of this program.
struct implementation_info {
  std::string name = "convene";
  std::string version;
};

/// OpenWOP's endpoints (docs/server-runs.md): discovery, workflows,
/// runs, their events, interrupts and forks. `signer` makes the tokens of
/// interrupts. `host` must outlive them.
[[nodiscard]] routes run_routes(run_host& host, const token_signer& signer,
                                const implementation_info& about);

} // namespace convene::server
