#pragma once

#include <boost/json/value.hpp>
#include <support/dice.hpp>

#include <string>

namespace convene::tests {

namespace json = boost::json;
using test::dice;

/// The document with a few of its values and members taken away, exchanged,
/// repeated, renamed or made extreme; nobody knows whether it is still valid.
json::value disordered(json::value document, dice& d);

/// The text with a few of its bytes changed: most likely no JSON any more.
std::string garbled(std::string text, dice& d);

} // namespace convene::tests
