#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/invariants/invariant.hpp>

#include <optional>
#include <string_view>

namespace convene::protocol {

/// The scope of a document that is of this schema (`mplp-plan`, its full
/// name). None: no rule looks at such. An event of a log is in scope `event`
/// unless it is one of the SA or MAP profile.
[[nodiscard]] std::optional<invariant_scope>
scope_of(std::string_view schema, const json::value& document) noexcept;

} // namespace convene::protocol
