#pragma once

#include <convene/server/http/request_head.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// With each %XX replaced by its byte. Nothing: an escape is not one, or the
/// outcome is not UTF-8 or has a NUL.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

/// The segments of a path, decoded. A dot segment is refused: what it means
/// differs between those who pass a request on.
[[nodiscard]] tl::expected<std::vector<std::string>, http_refusal>
read_path(std::string_view path);

/// The members of a query, decoded; a plus is a blank.
[[nodiscard]] tl::expected<std::map<std::string, std::string, std::less<>>,
                           http_refusal>
read_query(std::string_view query);

} // namespace convene::server
