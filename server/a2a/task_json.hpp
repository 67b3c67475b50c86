#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/server/a2a/task_index.hpp>
#include <convene/server/http/response.hpp>
#include <convene/server/sessions/session_view.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace convene::server {

// Parts are of the media types that the task's client reads (output_modes.hpp).
// To one that reads no text, it is sent as the data {"text": ...}.

/// A2A's Task, with `artifacts` unless they are empty.
[[nodiscard]] boost::json::object to_json(const task_view& of,
                                          boost::json::array artifacts = {});

/// A2A's TaskStatus.
[[nodiscard]] boost::json::object
to_json(const task_view& of, const task_status& status, std::size_t place);

/// A2A's TaskStatusUpdateEvent.
[[nodiscard]] boost::json::object status_update(const task_view& of,
                                                const task_status& status);

/// Names an update of a task, the same at any time.
[[nodiscard]] std::string update_id(const std::string& task, std::size_t place);

/// What a session leaves, as Artifacts: `answer`, what an agent said last and
/// the session's result; `workspace`, if there are shared resources. Empty
/// unless it has ended. An artifact without parts is left out.
[[nodiscard]] boost::json::array artifacts_of(const session_view& of,
                                              output_modes modes);

/// An answer of the media type of A2A.
[[nodiscard]] response a2a_response(const boost::json::object& body);

/// An error in A2A's form.
[[nodiscard]] response a2a_error(unsigned status, std::string_view code,
                                 std::string_view message,
                                 boost::json::object details = {});

} // namespace convene::server
