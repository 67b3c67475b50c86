#pragma once

#include <convene/server/http/request_head.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// The segments of a path, decoded. A dot segment is refused: what it means
/// differs between those who pass a request on.
[[nodiscard]] tl::expected<std::vector<std::string>, http_refusal>
read_path(std::string_view path);

/// The segments as they were sent.
[[nodiscard]] std::vector<std::string> raw_segments(std::string_view path);

/// The members of a query, decoded; a plus is a blank.
[[nodiscard]] tl::expected<std::map<std::string, std::string, std::less<>>,
                           http_refusal>
read_query(std::string_view query);

} // namespace convene::server
