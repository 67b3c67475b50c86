#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/documents/sources.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {

/// Sessions of one log that are shown.
inline constexpr std::size_t shown_sessions_max = 10'000;

/// What each session of a log, or of all logs in a folder, is shown as: by
/// session_id, in the order in which they begin.
template <class Shown>
using shown_sessions = std::vector<std::pair<std::string, Shown>>;

/// Whose an event is; empty: nobody's.
inline std::string session_of(const host::read_item&,
                              const protocol::json::object& event) {
  return std::string{protocol::text_of(event, "session_id")};
}

/// `make` makes it of a session's id, `add` adds an event to it; `key` says of
/// which session an event is.
template <class Make, class Add, class Key = decltype(&session_of)>
auto show_sessions(const std::string& path, const Make& make, const Add& add,
                   const Key& key = session_of)
  -> protocol::result<shown_sessions<decltype(make(std::string_view{}))>> {
  const auto sources = host::export_sources(path);
  if (!sources)
    return protocol::fail(sources.error());
  shown_sessions<decltype(make(std::string_view{}))> sessions;
  std::map<std::string, std::size_t, std::less<>> places;
  const auto visit
    = [&](const host::read_item& item) -> protocol::result<void> {
    const auto* event = item.value.if_object();
    const auto id = event == nullptr ? std::string{} : key(item, *event);
    if (id.empty())
      return {};
    auto place = places.find(id);
    if (place == places.end()) {
      if (sessions.size() == shown_sessions_max)
        return protocol::fail({.code = protocol::errc::limit_reached,
                               .message = "has over "
                                          + std::to_string(shown_sessions_max)
                                          + " sessions",
                               .file = path,
                               .rule = "shown_sessions_max"});
      place = places.emplace(id, sessions.size()).first;
      sessions.emplace_back(id, make(id));
    }
    return add(sessions[place->second].second, *event);
  };
  for (const auto& source : *sources)
    if (source.is_events)
      if (const auto read = host::visit_items(source, visit); !read)
        return protocol::fail(read.error());
  if (sessions.empty())
    return protocol::fail({.code = protocol::errc::invalid_document,
                           .message = "has no events of a session",
                           .file = path});
  return sessions;
}

/// A session's id may be anything; a file's name may not.
inline std::string file_name(std::string_view session_id, std::size_t index,
                             std::string_view ending) {
  return (protocol::is_uuid_v4(session_id) ? std::string{session_id}
                                           : std::to_string(index + 1))
         + std::string{ending};
}

} // namespace convene::cli
