#pragma once

#include <boost/json/object.hpp>
#include <convene/server/a2a/agent_routes.hpp>
#include <convene/server/a2a/task_json.hpp>
#include <convene/server/a2a/task_stream.hpp>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

namespace convene::server {

/// Why a request is none of A2A 1.0.
[[nodiscard]] std::optional<response> wrong_version(const request& from);

/// An error of reading a body or a message.
[[nodiscard]] response a2a_error(const protocol::error& why);

[[nodiscard]] response task_not_found();
[[nodiscard]] response agent_overloaded();
[[nodiscard]] response push_not_offered();

/// Why a push notification config below `pointer` is not taken.
[[nodiscard]] response push_refused(const std::string& pointer,
                                    const protocol::error& why);

/// What the caller's key has to allow besides the endpoint's own scope.
[[nodiscard]] std::optional<response>
lacks_scope(const request& from, std::initializer_list<const char*> wanted);

/// An endpoint whose requests are of A2A 1.0.
[[nodiscard]] route agent_endpoint(
  const shared_agent& agent, const char* method, const char* pattern,
  const char* scope,
  std::function<void(const shared_agent&, const request&, const responder&)>
    make,
  const char* about);

/// Answers with the task as it stands, with its artifacts if it is over; `wrap`
/// makes the answer's body of it.
void answer_with(const shared_agent& agent, const task_view& one,
                 std::function<boost::json::object(boost::json::object)> wrap,
                 const responder& to);

/// A stream of the task, from how it stands.
[[nodiscard]] response stream_of(const shared_agent& agent, task_view one,
                                 asking_task asking);

} // namespace convene::server
