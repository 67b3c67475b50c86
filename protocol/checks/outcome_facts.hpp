#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// What the files of `outcome_check` read in a log.

namespace convene::protocol {

[[nodiscard]] const json::value* member_of(const json::object& from,
                                           std::string_view name);

/// Whether it stands for a value that is a file beside the log.
[[nodiscard]] bool is_blob(const json::object& what);

/// The action that an event is about, for messages.
[[nodiscard]] std::string outcome_name(const checked_event& e);

/// The settings of a participant's behaviour; empty: they are not on the log.
[[nodiscard]] const json::object& behaviour_of(const checked_event& e,
                                               std::string_view who);

/// The only action of those that make one for each request; empty: others.
[[nodiscard]] std::string_view only_position(std::string_view type);

/// Which of a participant's models is called at a position: 0: its own, else
/// the n-th of its fallbacks; none: no model.
[[nodiscard]] std::optional<std::size_t> model_at(std::string_view position);

/// The settings of a participant's model; those of a fallback are its own
/// where it has them, and else the participant's if it is on the same server.
[[nodiscard]] json::object model_settings(const json::object& behaviour,
                                          std::size_t which);

[[nodiscard]] bool has_flag(const json::object& from, std::string_view name,
                            bool otherwise);

} // namespace convene::protocol
