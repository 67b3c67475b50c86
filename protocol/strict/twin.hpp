#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/strict/strict_form.hpp>

#include <string>
#include <string_view>

// What an export adds to an event for those who know the twelve families only.

namespace convene::protocol {

/// A core event about another one, `members` before its payload; that names the
/// other as `native.twin_of`. `key` tells apart several twins of one type.
[[nodiscard]] boost::json::object
make_twin(const boost::json::object& event, std::string_view type,
          std::string_view family, const boost::json::object& members,
          boost::json::object payload = {}, std::string_view key = {});

} // namespace convene::protocol
