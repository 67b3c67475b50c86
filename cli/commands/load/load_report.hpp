#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace convene::cli {

/// The summary of a load for people.
[[nodiscard]] std::string load_text(const boost::json::object& summary);

} // namespace convene::cli
