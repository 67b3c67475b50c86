#include <convene/protocol/json/json_text.hpp>
#include <convene/server/http/target.hpp>

#include <algorithm>
#include <charconv>

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

} // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  if (text.find('%') == text.npos)
    return protocol::valid_utf8(text) ? std::optional{std::string{text}}
                                      : std::nullopt;
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    const auto digits = text.substr(at + 1, 2);
    unsigned char byte = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stop, failed] = std::from_chars(digits.data(), end, byte, 16);
    if (digits.size() != 2 || failed != std::errc{} || stop != end || byte == 0)
      return std::nullopt;
    out += static_cast<char>(byte);
    at += 2;
  }
  if (!protocol::valid_utf8(out))
    return std::nullopt;
  return out;
}

tl::expected<std::vector<std::string>, http_refusal>
read_path(std::string_view path) {
  std::vector<std::string> segments;
  segments.reserve(static_cast<std::size_t>(std::ranges::count(path, '/')));
  path.remove_prefix(1);
  for (;;) {
    const bool is_last = path.find('/') == path.npos;
    auto decoded = percent_decoded(cut(path, '/'));
    if (!decoded)
      return refuse_target("the path has an escape that is none, or is not "
                           "UTF-8");
    if (*decoded == "." || *decoded == "..")
      return refuse_target("the path has a dot segment");
    segments.push_back(*std::move(decoded));
    if (is_last)
      return segments;
  }
}

tl::expected<std::map<std::string, std::string, std::less<>>, http_refusal>
read_query(std::string_view query) {
  std::map<std::string, std::string, std::less<>> members;
  while (!query.empty()) {
    std::string one{cut(query, '&')};
    std::ranges::replace(one, '+', ' ');
    std::string_view value = one;
    const auto name = percent_decoded(cut(value, '='));
    const auto decoded = percent_decoded(value);
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
