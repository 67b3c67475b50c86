#pragma once

#include <convene/protocol/lifecycle/lifecycle.hpp>

#include <string>

// The tables for readers. docs/lifecycles.md is made of these texts.

namespace convene::protocol {

/// The lifecycle as Markdown: its statuses, its moves, what each needs and
/// which events it has. Rows of all readings, each with the policy that
/// switches it.
[[nodiscard]] std::string lifecycle_text(const lifecycle& of);

/// The same as JSON.
[[nodiscard]] json::object lifecycle_json(const lifecycle& of);

/// The preconditions that the set has, in their order.
[[nodiscard]] std::vector<precondition> members_of(const precondition_set& all);

/// "with extensions_return", or nothing for rows that always count.
[[nodiscard]] std::string_view reading_text(row_reading reading) noexcept;

} // namespace convene::protocol
