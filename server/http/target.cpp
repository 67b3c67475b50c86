#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/server/http/target.hpp>

#include <algorithm>
#include <optional>

namespace convene::server {
namespace {

tl::unexpected<http_refusal> refuse_target(std::string message) {
  return tl::unexpected{http_refusal{400, "bad_request", std::move(message)}};
}

/// Cuts off what stands before the first `end`.
std::string_view cut(std::string_view& text, char end) {
  const auto part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

/// Nothing: an escape is not one, or the result is not UTF-8 or has a NUL.
std::optional<std::string> decoded_part(std::string_view text) {
  if (!protocol::has_whole_escapes(text))
    return std::nullopt;
  auto made = protocol::percent_decoded(text);
  if (made.find('\0') != made.npos || !protocol::valid_utf8(made))
    return std::nullopt;
  return made;
}

} // namespace

std::vector<std::string> raw_segments(std::string_view path) {
  std::vector<std::string> segments;
  segments.reserve(static_cast<std::size_t>(std::ranges::count(path, '/')));
  path.remove_prefix(1);
  for (;;) {
    const bool is_last = path.find('/') == path.npos;
    segments.emplace_back(cut(path, '/'));
    if (is_last)
      return segments;
  }
}

tl::expected<std::vector<std::string>, http_refusal>
read_path(std::string_view path) {
  auto segments = raw_segments(path);
  for (auto& each : segments) {
    auto decoded = decoded_part(each);
    if (!decoded)
      return refuse_target("the path has an escape that is not valid, or is "
                           "not UTF-8");
    if (*decoded == "." || *decoded == "..")
      return refuse_target("the path has a dot segment");
    each = *std::move(decoded);
  }
  return segments;
}

tl::expected<std::map<std::string, std::string, std::less<>>, http_refusal>
read_query(std::string_view query) {
  std::map<std::string, std::string, std::less<>> members;
  while (!query.empty()) {
    std::string one{cut(query, '&')};
    std::ranges::replace(one, '+', ' ');
    std::string_view value = one;
    const auto name = decoded_part(cut(value, '='));
    const auto decoded = decoded_part(value);
    if (!name || !decoded)
      return refuse_target("the query has an escape that is none, or is not "
                           "UTF-8");
    if (one.empty())
      continue;
    if (!members.try_emplace(*name, *decoded).second)
      return refuse_target("the query has a member twice");
  }
  return members;
}

} // namespace convene::server
