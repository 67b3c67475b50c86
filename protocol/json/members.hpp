#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads members of an event that may be missing or of any type.
namespace convene::protocol {

namespace json = boost::json;

/// The member's text; empty if it is missing or not a string.
[[nodiscard]] std::string_view text_of(const json::object& from,
                                       std::string_view name) noexcept;

/// The member as an integer, if it is one that fits into 64 signed bits.
[[nodiscard]] std::optional<std::int64_t>
integer_of(const json::object& from, std::string_view name) noexcept;

/// The member as an object; empty if it is not one.
[[nodiscard]] const json::object& object_of(const json::object& from,
                                            std::string_view name) noexcept;

/// The strings in the member's array; other items are omitted.
[[nodiscard]] std::vector<std::string_view> texts_of(const json::object& from,
                                                     std::string_view name);

/// The member as a UUID in its canonical v4 form.
[[nodiscard]] std::optional<uuid> uuid_of(const json::object& from,
                                          std::string_view name) noexcept;

/// `text` in quotes for a message, cut to 60 bytes at most, never inside a
/// character, and without control characters.
[[nodiscard]] std::string quote(std::string_view text);

} // namespace convene::protocol
