#pragma once

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <support/texts.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Events as tests look at them.

namespace convene::test {

/// An event's payload, for looking into.
struct event {
  std::string type;
  protocol::json::object payload;
  protocol::json::object whole;

  /// A member by its path, as "error/code": a text as it is, other values as
  /// JSON; empty where there is none.
  [[nodiscard]] std::string at(std::string_view path) const {
    boost::system::error_code none;
    const protocol::json::value root(payload);
    const auto* found = root.find_pointer("/" + std::string{path}, none);
    if (found == nullptr)
      return {};
    if (const auto* text = found->if_string())
      return std::string{*text};
    return protocol::json::serialize(*found);
  }
};

/// The lines of a log, without their ends.
inline std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (auto end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n')) {
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

inline event parse_event(std::string_view line) {
  auto parsed = protocol::parse_json(line);
  if (!parsed || !parsed->is_object())
    throw std::runtime_error{"no JSON object: " + std::string{line}};
  event made{.whole = std::move(parsed->get_object())};
  made.type = protocol::text_of(made.whole, "event_type");
  made.payload = protocol::object_of(made.whole, "payload");
  return made;
}

} // namespace convene::test
