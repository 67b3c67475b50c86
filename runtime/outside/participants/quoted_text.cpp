#include <boost/json/serialize.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/participants/quoted_text.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

/// The bytes of the line's end that `text` begins with; 0: it is none.
std::size_t line_end_at(std::string_view text) {
  const auto c = text.front();
  if (c == '\r')
    return text.starts_with("\r\n") ? 2 : 1;
  if ((c >= '\n' && c <= '\f') || (c >= '\x1c' && c <= '\x1e'))
    return 1;
  if (text.starts_with("\xc2\x85")) // U+0085
    return 2;
  return text.starts_with("\xe2\x80\xa8") || text.starts_with("\xe2\x80\xa9")
           ? 3
           : 0;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = line_end_at(text.substr(at));
    if (end > 0) {
      all.push_back(text.substr(begin, at - begin));
      begin = at + end;
    }
    at += std::max<std::size_t>(end, 1);
  }
  all.push_back(text.substr(begin));
  while (all.size() > 1 && all.back().empty())
    all.pop_back();
  return all;
}

std::string block_of(const std::vector<std::string_view>& lines) {
  std::string text;
  for (const auto& each : lines)
    text.append(text.empty() ? "" : "\n").append(quote_mark).append(each);
  return text;
}

/// Whether other characters than visible ones of one kind of text begin here:
/// controls, spaces, and what changes the direction.
bool is_odd(std::string_view text) {
  const auto c = static_cast<unsigned char>(text[0]);
  const auto next = static_cast<unsigned char>(text.size() > 1 ? text[1] : 0);
  switch (c) {
    case 0xc2:
      return next <= 0xa0 || next == 0xad;
    case 0xe2:
      return next == 0x80 || next == 0x81;
    case 0xe3:
      return text.starts_with("\xe3\x80\x80");
    case 0xef:
      return text.starts_with("\xef\xbb\xbf");
    default:
      return false;
  }
}

bool is_plain_name(std::string_view name) {
  constexpr std::string_view others = "_-./@+~#=&%$!?*' ";
  // What convene itself says in the place of a name.
  if (name.empty() || name.front() == ' ' || name.back() == ' ' || name == "you"
      || name == "the session")
    return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = name[i];
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    if (is_ascii ? !protocol::is_alnum(c) && others.find(c) == others.npos
                 : is_odd(name.substr(i)))
      return false;
  }
  return true;
}

} // namespace

std::string quoted_text(std::string_view text) {
  const auto lines = lines_of(text);
  return lines.size() == 1 ? ' ' + std::string{lines.front()}
                           : '\n' + block_of(lines);
}

std::string quoted_whole(std::string_view text) {
  const auto lines = lines_of(text);
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  const bool is_bracket = begin < text.size() && text[begin] == '[';
  return lines.size() == 1 && !is_bracket ? std::string{lines.front()}
                                          : block_of(lines);
}

std::string shown_name(std::string_view name) {
  return is_plain_name(name) ? std::string{name}
                             : shown_json(boost::json::string(name));
}

std::string shown_json(const boost::json::value& what) {
  auto text = boost::json::serialize(what);
  constexpr std::pair<std::string_view, std::string_view> ends[]{
    {"\xc2\x85", "\\u0085"},
    {"\xe2\x80\xa8", "\\u2028"},
    {"\xe2\x80\xa9", "\\u2029"}};
  for (const auto& [bytes, escaped] : ends)
    for (auto at = text.find(bytes); at != text.npos;
         at = text.find(bytes, at + escaped.size()))
      text.replace(at, bytes.size(), escaped);
  return text;
}

} // namespace convene::host
