#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace convene::session {

/// Why a session ended, as people say it; of its `stop_reason`.
[[nodiscard]] std::string stop_words(const boost::json::object& stop);

} // namespace convene::session
