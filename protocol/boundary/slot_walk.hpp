#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/boundary/slot_rule.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace convene::protocol::boundary {

/// The subschemas that the value at `slot` has to meet in every event that has
/// the shape of `sample`, a valid one: a JSON pointer in which * stands for
/// every item of an array. Nothing where the schema asks for something that
/// others of `slots`, or the number of items, could change: there only
/// the whole event can be judged. What it asks of which members an object has
/// together is left out where the caller has tried all that it passes.
enum class together : std::uint8_t { unknown, tried };
[[nodiscard]] std::optional<std::vector<demand>>
demands_at(const compiled_schema& schema, const json::value& sample,
           std::string_view slot, std::span<const std::string_view> slots,
           together members = together::unknown);

} // namespace convene::protocol::boundary
