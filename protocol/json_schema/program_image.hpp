#pragma once

#include <convene/protocol/json_schema/program.hpp>

#include <string>
#include <string_view>

namespace convene::protocol::validation {

/// A program as bytes: its tables as they are in memory, one behind the other,
/// for a program of the same machine and build to read. Equal programs have
/// equal images.
[[nodiscard]] std::string to_image(const program& what);

/// The program that `image` was made of, whose patterns are compiled when they
/// are first searched for. Trusts the image: it is to be one that `to_image`
/// made. Throws std::logic_error if it is cut short.
[[nodiscard]] program from_image(std::string_view image);

} // namespace convene::protocol::validation
