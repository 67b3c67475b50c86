#pragma once

#include <boost/json/value.hpp>
#include <support/dice.hpp>

#include <string>
#include <string_view>

// Texts that are of a format or match a pattern, and texts that nearly are.
// Kept as a table, so that what is expected comes from a person and not from
// the code under test.

namespace convene::tests {

namespace json = boost::json;
using test::dice;

/// A text for the format, which it meets if `good`; throws for a format
/// without samples.
std::string text_of_format(std::string_view format, bool good, dice& d);

/// The same for a pattern of the embedded schemas.
std::string text_of_pattern(std::string_view pattern, bool good, dice& d);

/// Text of `length` characters, some of them beyond ASCII.
std::string any_text(std::size_t length, dice& d);

/// Any value, at most `depth` levels deep.
json::value any_value(std::size_t depth, dice& d);

} // namespace convene::tests
