#include <convene/protocol/text/uri.hpp>

namespace convene::protocol::validation {
namespace {

/// Cuts off what is before the first of `delimiters`.
std::string_view take_until(std::string_view& text,
                            std::string_view delimiters) noexcept {
  const auto part = text.substr(0, text.find_first_of(delimiters));
  text.remove_prefix(part.size());
  return part;
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

uri_parts split_uri(std::string_view text) noexcept {
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

std::string resolve_uri(std::string_view base_text,
                        std::string_view reference) {
  const auto base = split_uri(base_text);
  const auto to = split_uri(reference);
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

uri_with_fragment split_fragment(std::string_view uri) noexcept {
  const auto hash = uri.find('#');
  if (hash == std::string_view::npos)
    return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

} // namespace convene::protocol::validation
