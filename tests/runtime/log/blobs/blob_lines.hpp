#pragma once

#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <runtime/log/event_log/session_lines.hpp>

#include <string>

namespace convene::tests {

/// The line of an event of that session whose action gave a blob, without its
/// line end.
inline std::string line_naming(std::uint64_t session,
                               const protocol::blob& which) {
  auto line = line_of_session(session, "?", "action_ended");
  const std::string_view payload = R"({"what":"?"})";
  line.replace(line.find(payload), payload.size(),
               R"({"result":{"status":"completed","output":)"
                 + boost::json::serialize(encode(which)) + "}}");
  return line;
}

} // namespace convene::tests
