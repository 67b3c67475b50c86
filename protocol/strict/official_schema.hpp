#pragma once

#include <boost/json/fwd.hpp>

#include <string_view>

namespace convene::protocol {

/// The name of the official schema that a document seems to be written for;
/// events of a session's log too have one of those. Empty: there is none for
/// it, as for a scenario.
[[nodiscard]] std::string_view
official_schema(const boost::json::value& document);

/// The id of the event family (`graph_update`) whose id or title
/// (`GraphUpdateEvent`, `CostAndBudgetEvent`) this is; a view that stays.
/// Empty: none of the twelve.
[[nodiscard]] std::string_view family_id(std::string_view name) noexcept;

/// Whether the schema is one of the ten modules'.
[[nodiscard]] bool is_module_schema(std::string_view name) noexcept;

/// Whether the schema is one of the four of external events (L4).
[[nodiscard]] bool is_integration_schema(std::string_view name) noexcept;

} // namespace convene::protocol
