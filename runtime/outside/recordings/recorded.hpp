#pragma once

#include <boost/json/value.hpp>
#include <convene/actors/behaviours/factory.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <convene/session/spec/spec.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace convene::host {

/// The type of behaviours that give a log's answers again.
inline constexpr std::string_view recorded_type = "recorded";

/// `{"type": "recorded", "log": FILE, "session": ID}`.
struct recorded_settings {
  std::string log;     ///< a loaded scenario has its absolute path
  std::string session; ///< empty: the log has one session

  auto operator<=>(const recorded_settings&) const = default;
};

[[nodiscard]] protocol::result<recorded_settings>
read_recorded_settings(const boost::json::value& config,
                       std::string_view pointer);

/// Reads the recordings that a scenario's participants need, each log once.
/// What was read of the latest logs is kept for all sessions of the process,
/// while the files do not change. A log is looked at only if `allow` lets it be
/// read. Errors: `activation_refused` with permission_needed, else
/// `invalid_document` with the rules of `read_recordings`, at the entry.
/// Thread-safe.
[[nodiscard]] protocol::result<void> check_recorded(const session::spec& what,
                                                    const permissions& allow);

/// Makes a behaviour of this type. One whose participant has no recording
/// fails when it is asked. Permission, errors and thread-safety as above.
[[nodiscard]] protocol::result<std::unique_ptr<actors::behaviour>>
make_recorded(const boost::json::value& config,
              const actors::behaviour_setup& whose, std::string_view pointer,
              const permissions& allow);

} // namespace convene::host
