#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/server/a2a/output_modes.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace convene::server {

/// The longest body of a message, and the longest id.
inline constexpr std::size_t message_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t message_id_bytes_max = 256;

/// A message to the agent, as far as it is used.
struct sent_message {
  std::string id;
  std::string context_id; ///< empty: it names none
  std::string task_id;    ///< empty: it begins a task
  std::string skill;      ///< empty: it names none
  std::string text;
  std::optional<output_modes> output; ///< unset: it names none
  bool waits = true;                  ///< for the task's end, or a question
  /// A push notification config (push_config.hpp), if there is one.
  std::optional<boost::json::object> push;
};

/// Reads a SendMessageRequest. Members that are not known are left out; errors
/// have a pointer, and as their rule the code of the answer.
[[nodiscard]] protocol::result<sent_message>
read_message(const boost::json::object& request);

} // namespace convene::server
