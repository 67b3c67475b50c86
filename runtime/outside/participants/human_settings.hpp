#pragma once

#include <convene/protocol/documents/describe.hpp>
#include <convene/session/options/options.hpp>

#include <cstdint>
#include <optional>

namespace convene::host {

/// `{"type": "human", "timeout_ms": n, "confirms": b}`; the session machine
/// reads the time.
struct human_settings {
  std::optional<std::int64_t> timeout_ms;
  bool confirms = false; ///< only approves or rejects
};

/// `{"type": "external", "timeout_ms": n}`, in the same way.
struct external_settings {
  std::optional<std::int64_t> timeout_ms;
};

void describe(auto& v, protocol::of<human_settings> auto& x) {
  v.ignored("type");
  v.defaulted("timeout_ms", x.timeout_ms,
              protocol::between(1, session::duration_ms_max));
  v.defaulted("confirms", x.confirms);
}

void describe(auto& v, protocol::of<external_settings> auto& x) {
  v.ignored("type");
  v.defaulted("timeout_ms", x.timeout_ms,
              protocol::between(1, session::duration_ms_max));
}

} // namespace convene::host
