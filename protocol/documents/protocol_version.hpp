#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>

#include <array>
#include <string_view>

// Which versions of the protocol documents may have (MPLP runtime.md 9).

namespace convene::protocol {

/// The published versions of the protocol that this program implements. The
/// last is that of the documents it makes.
inline constexpr std::array<std::string_view, 1> supported_protocol_versions{
  "1.0.0"};

/// Whether documents of this version are read: with the major and the minor
/// number of a supported version. A text that does not begin with a number is
/// the schema's to refuse.
[[nodiscard]] bool is_supported_protocol_version(std::string_view version);

/// Checks `meta.protocol_version` of a module's document, and a Core's own
/// `protocol_version`: errc::unsupported with rule
/// `protocol_version_unsupported` and the place, below `pointer`. What is
/// missing or no text is the schema's to refuse.
[[nodiscard]] result<void>
check_protocol_version(const json::object& document,
                       std::string_view pointer = "");

/// The same for each document that is embedded in a scenario.
[[nodiscard]] result<void>
check_scenario_versions(const json::object& scenario);

} // namespace convene::protocol
