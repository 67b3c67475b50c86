#pragma once

#include <convene/session/routing/policy.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace convene::session {

/// What has to follow: nothing, a question to the policy, or the end of the
/// session. Returned by all that the machine does, and acted on in one place,
/// `machine::follow`.
struct consequence {
  enum class kind : std::uint8_t {
    nothing,
    ask,      ///< the policy, with `why` and `closed`
    complete, ///< as `how` says, once no conflict is open
    end,      ///< as `how` says, at once
  };

  kind what = kind::nothing;
  occasion why = occasion::started;
  closed_turn closed;
  /// Null unless it is an end: most are not, and pass through every turn.
  std::unique_ptr<session::complete> how;
};

[[nodiscard]] inline consequence ask(occasion why, closed_turn closed = {}) {
  return {.what = consequence::kind::ask, .why = why, .closed = closed};
}

[[nodiscard]] inline consequence complete_by(complete&& how) {
  return {.what = consequence::kind::complete,
          .how = std::make_unique<complete>(std::move(how))};
}

/// `condition` is a constant, or is the machine's own.
[[nodiscard]] inline consequence cancel_by(std::string_view condition,
                                           std::string observed,
                                           std::int64_t limit = -1) {
  return {.what = consequence::kind::end,
          .how
          = std::make_unique<complete>(complete{.success = false,
                                                .condition = condition,
                                                .observed = std::move(observed),
                                                .limit = limit})};
}

} // namespace convene::session
