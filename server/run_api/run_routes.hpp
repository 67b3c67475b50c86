#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <convene/server/run_callbacks/run_callbacks.hpp>
#include <convene/server/runs/run_host.hpp>

#include <string>

namespace convene::server {

/// What the discovery document says of this program.
struct implementation_info {
  std::string name = "convene";
  std::string version;
};

/// OpenWOP's endpoints (docs/server-runs.md): discovery, workflows,
/// runs, their events, interrupts and forks. `callbacks` calls those who want
/// to know of a run's end, `signer` makes the tokens of interrupts. `host` and
/// `callbacks` must outlive them.
[[nodiscard]] routes run_routes(run_host& host, run_callbacks& callbacks,
                                const token_signer& signer,
                                const implementation_info& about);

} // namespace convene::server
