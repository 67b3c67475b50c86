#include <convene/protocol/json_schema/uri.hpp>

#include <charconv>
#include <cstddef>

namespace convene::protocol::validation {
namespace {

/// The five parts of a URI, each with its delimiter; empty where absent.
struct uri_parts {
  std::string_view scheme;    // "http:"
  std::string_view authority; // "//example.org"
  std::string_view path;
  std::string_view query;    // "?a"
  std::string_view fragment; // "#b"
};

/// Cuts off what is before the first of `delimiters`.
std::string_view take_until(std::string_view& text,
                            std::string_view delimiters) {
  const auto part = text.substr(0, text.find_first_of(delimiters));
  text.remove_prefix(part.size());
  return part;
}

uri_parts split(std::string_view text) {
  uri_parts parts;
  const auto colon = text.find_first_of(":/?#");
  if (colon != std::string_view::npos && colon != 0 && text[colon] == ':') {
    parts.scheme = text.substr(0, colon + 1);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    const auto end = text.find_first_of("/?#", 2);
    parts.authority = text.substr(0, end);
    text.remove_prefix(parts.authority.size());
  }
  parts.path = take_until(text, "?#");
  parts.query = take_until(text, "#");
  parts.fragment = text;
  return parts;
}

/// Resolves `.` and `..` segments (RFC 3986, 5.2.4).
std::string without_dots(std::string_view path) {
  std::string out;
  const bool rooted = path.starts_with('/');
  while (!path.empty()) {
    const auto slash = path.find('/', path.starts_with('/') ? 1 : 0);
    const auto segment = path.substr(0, slash);
    path.remove_prefix(segment.size());
    const auto name = segment.starts_with('/') ? segment.substr(1) : segment;
    if (name != "." && name != "..") {
      out += segment;
      continue;
    }
    if (name == "..") {
      const auto cut = out.rfind('/');
      out.erase(cut == std::string::npos ? 0 : cut);
    }
    if (path.empty())
      out += '/';
  }
  if (!rooted && out.starts_with('/'))
    out.erase(0, 1);
  return out;
}

std::string merged_path(const uri_parts& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty())
    return '/' + std::string{path};
  const auto slash = base.path.rfind('/');
  const auto folder = slash == std::string_view::npos
                        ? std::string_view{}
                        : base.path.substr(0, slash + 1);
  return std::string{folder}.append(path);
}

std::string joined(std::string_view a, std::string_view b, std::string_view c,
                   std::string_view d, std::string_view e) {
  return std::string{a}.append(b).append(c).append(d).append(e);
}

} // namespace

std::string resolve_uri(std::string_view base_text,
                        std::string_view reference) {
  const auto base = split(base_text);
  const auto to = split(reference);
  if (!to.scheme.empty())
    return joined(to.scheme, to.authority,
                  to.path.starts_with('/') ? without_dots(to.path)
                                           : std::string{to.path},
                  to.query, to.fragment);
  if (!to.authority.empty())
    return joined(base.scheme, to.authority, without_dots(to.path), to.query,
                  to.fragment);
  if (to.path.empty())
    return joined(base.scheme, base.authority, base.path,
                  to.query.empty() ? base.query : to.query, to.fragment);
  const auto path = to.path.starts_with('/')
                      ? without_dots(to.path)
                      : without_dots(merged_path(base, to.path));
  return joined(base.scheme, base.authority, path, to.query, to.fragment);
}

split_uri split_fragment(std::string_view uri) noexcept {
  const auto hash = uri.find('#');
  if (hash == std::string_view::npos)
    return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size()
        && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

} // namespace convene::protocol::validation
