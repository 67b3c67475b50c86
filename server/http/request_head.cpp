#include <convene/protocol/base/ascii.hpp>
#include <convene/server/http/request_head.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace convene::server {
namespace {

using head_result = tl::expected<request_head, http_refusal>;

http_refusal malformed(std::string message) {
  return {400, "bad_request", std::move(message)};
}

tl::unexpected<http_refusal> refuse(std::string message) {
  return tl::unexpected{malformed(std::move(message))};
}

bool is_token_char(char c) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
         || (c >= 'A' && c <= 'Z') || marks.find(c) != marks.npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Headers that must not be given twice: which one counts would be a guess.
bool is_said_once(std::string_view name) {
  static constexpr std::array names{std::string_view{"authorization"},
                                    std::string_view{"content-length"},
                                    std::string_view{"content-type"},
                                    std::string_view{"expect"},
                                    std::string_view{"host"},
                                    std::string_view{"idempotency-key"},
                                    std::string_view{"last-event-id"},
                                    std::string_view{"origin"},
                                    std::string_view{"transfer-encoding"}};
  return std::ranges::find(names, name) != names.end();
}

/// `name`, `name:port`, `[v6]` or `[v6]:port`.
bool is_authority(std::string_view text) {
  auto rest = text;
  if (rest.starts_with('[')) {
    const auto end = rest.find(']');
    if (end == rest.npos
        || rest.substr(1, end - 1).find_first_not_of("0123456789abcdef:.")
             != rest.npos)
      return false;
    rest.remove_prefix(end + 1);
  } else {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto name = rest.substr(0, end);
    if (name.empty() || !std::ranges::all_of(name, [](char c) {
          return is_token_char(c) && c != '%' && c != '\'' && c != '`';
        }))
      return false;
    rest.remove_prefix(end);
  }
  if (rest.empty())
    return true;
  return rest.starts_with(':') && rest.size() >= 2 && rest.size() <= 6
         && rest.find_first_not_of("0123456789", 1) == rest.npos;
}

/// The request line: three words, one blank between each.
tl::expected<std::string, http_refusal> read_line(std::string_view line,
                                                  request_head& head) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == line.npos || first == last)
    return refuse("a request line is a method, a target and a version");
  head.method = line.substr(0, first);
  const auto target = line.substr(first + 1, last - first - 1);
  const auto version = line.substr(last + 1);
  if (!is_token(head.method) || head.method.size() > 32)
    return refuse("the method is not a word");
  if (target.empty() || !std::ranges::all_of(target, [](char c) {
        return c > ' ' && c < '\x7f' && c != '#';
      }))
    return refuse("the target has characters that no URL has");
  if (version == "HTTP/1.0")
    head.is_http_1_0 = true;
  else if (version != "HTTP/1.1")
    return version.starts_with("HTTP/")
             ? tl::unexpected{http_refusal{505, "version_not_supported",
                                           "HTTP/1.1 is spoken here"}}
             : refuse("the version is not HTTP's");
  return std::string{target};
}

tl::expected<void, http_refusal> read_header(std::string_view line,
                                             request_head& head) {
  const auto colon = line.find(':');
  if (line.starts_with(' ') || line.starts_with('\t'))
    return refuse("a header is folded");
  if (colon == line.npos || !is_token(line.substr(0, colon)))
    return refuse("a header has no name, or a name with a blank or another "
                  "character that names do not have");
  const auto value = trimmed(line.substr(colon + 1));
  const auto [at, is_new]
    = head.headers.try_emplace(lower(line.substr(0, colon)), value);
  if (is_new)
    return {};
  if (is_said_once(at->first))
    return refuse("the header " + at->first + " is given twice");
  at->second.append(", ").append(value);
  return {};
}

/// How long the body is.
tl::expected<void, http_refusal> read_framing(request_head& head) {
  const auto length = head.headers.find("content-length");
  const auto coding = head.headers.find("transfer-encoding");
  if (coding != head.headers.end()) {
    if (length != head.headers.end())
      return refuse("content-length and transfer-encoding exclude each other");
    if (head.is_http_1_0)
      return refuse("HTTP/1.0 has no transfer-encoding");
    if (lower(coding->second) != "chunked")
      return refuse("the only transfer-encoding is chunked");
    head.is_chunked = true;
  }
  if (length != head.headers.end()) {
    const auto& text = length->second;
    const auto* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end,
                                                head.content_length);
    if (failed != std::errc{} || stop != end)
      return refuse("content-length is not a number");
  }
  return {};
}

bool names_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (lower(trimmed(list.substr(0, end))) == word)
      return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// The host, and the path and query of a target in either form.
tl::expected<void, http_refusal> read_place(std::string target,
                                            request_head& head) {
  const auto host = head.headers.find("host");
  if (host == head.headers.end() && !head.is_http_1_0)
    return refuse("the header host is missing");
  if (host != head.headers.end()) {
    head.host = lower(host->second);
    if (!is_authority(head.host))
      return refuse("the header host is not a host");
  }
  if (!target.starts_with('/')) {
    const auto scheme = target.find("://");
    const auto word = lower(target.substr(0, std::min(scheme, target.size())));
    if (scheme == target.npos || (word != "http" && word != "https"))
      return refuse("the target is neither a path nor a URL of this server");
    target.erase(0, scheme + 3);
    const auto end = std::min(target.find_first_of("/?"), target.size());
    if (lower(target.substr(0, end)) != head.host)
      return refuse("the target and the header host name different hosts");
    target.erase(0, end);
    if (!target.starts_with('/'))
      target.insert(0, 1, '/');
  }
  const auto mark = std::min(target.find('?'), target.size());
  head.path = target.substr(0, mark);
  head.raw_query = target.substr(std::min(mark + 1, target.size()));
  return {};
}

tl::expected<void, http_refusal> read_wishes(request_head& head) {
  const auto connection = head.header("connection");
  head.keep_alive = head.is_http_1_0 ? names_word(connection, "keep-alive")
                                     : !names_word(connection, "close");
  const auto expected = head.header("expect");
  if (expected.empty() || head.is_http_1_0)
    return {};
  if (lower(expected) != "100-continue")
    return tl::unexpected{http_refusal{417, "expectation_failed",
                                       "the only expectation that can be met "
                                       "is 100-continue"}};
  head.expects_continue = true;
  return {};
}

} // namespace

std::optional<http_refusal>
fault_of_unfinished_head(std::string_view text, std::size_t from,
                         const http_limits& limits) {
  for (auto at = from; at < text.size(); ++at) {
    const auto c = text[at];
    if (c == '\n' && (at == 0 || text[at - 1] != '\r'))
      return malformed("a line ends with a line feed alone");
    if (c != '\n' && at > 0 && text[at - 1] == '\r')
      return malformed("a line has a carriage return alone");
    if ((c >= 0 && c < ' ' && c != '\t' && c != '\r' && c != '\n')
        || c == '\x7f')
      return malformed("a line has a control character");
  }
  const auto line = std::min(text.find("\r\n"), text.size());
  if (line == 0 && text.size() >= 2)
    return malformed("a request begins with an empty line");
  if (line > limits.request_line_bytes_max)
    return http_refusal{414, "request_line_bytes_max",
                        "the request line is longer than "
                          + std::to_string(limits.request_line_bytes_max)
                          + " bytes"};
  if (text.size() > limits.header_bytes_max)
    return http_refusal{431, "header_bytes_max",
                        "line and headers have more than "
                          + std::to_string(limits.header_bytes_max) + " bytes"};
  return std::nullopt;
}

head_result read_request_head(std::string_view text,
                              const http_limits& limits) {
  if (auto fault = fault_of_unfinished_head(text, 0, limits))
    return tl::unexpected{*std::move(fault)};
  if (!text.ends_with("\r\n\r\n"))
    return refuse("the head has no end");
  request_head head;
  std::string target;
  text.remove_suffix(2);
  for (std::size_t line = 0; !text.empty(); ++line) {
    const auto end = text.find("\r\n");
    const auto one = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line == 0) {
      auto found = read_line(one, head);
      if (!found)
        return tl::unexpected{std::move(found).error()};
      target = *std::move(found);
    } else if (line > limits.headers_max) {
      return tl::unexpected{http_refusal{
        431, "headers_max",
        "more than " + std::to_string(limits.headers_max) + " headers"}};
    } else if (auto read = read_header(one, head); !read) {
      return tl::unexpected{std::move(read).error()};
    }
  }
  return read_framing(head)
    .and_then([&] { return read_place(std::move(target), head); })
    .and_then([&] { return read_wishes(head); })
    .map([&] { return std::move(head); });
}

} // namespace convene::server
