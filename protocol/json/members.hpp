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

/// The member's text; empty where it is missing or no string.
[[nodiscard]] std::string_view text_of(const json::object& from,
                                       std::string_view name) noexcept;

/// The member as an integer, where it is one that 64 bits with sign can hold.
[[nodiscard]] std::optional<std::int64_t>
integer_of(const json::object& from, std::string_view name) noexcept;

/// The member as an object; an empty one where it is none.
[[nodiscard]] const json::object& object_of(const json::object& from,
                                            std::string_view name) noexcept;

/// The strings of the member's array, others left out.
[[nodiscard]] std::vector<std::string_view> texts_of(const json::object& from,
                                                     std::string_view name);

/// The member as a UUID in its canonical v4 form.
[[nodiscard]] std::optional<uuid> uuid_of(const json::object& from,
                                          std::string_view name) noexcept;

/// `text` in quotes for a message, cut to 60 bytes at most, never inside a
/// character, and without control characters.
[[nodiscard]] std::string quote(std::string_view text);

} // namespace convene::protocol
