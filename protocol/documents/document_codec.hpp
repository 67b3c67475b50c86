#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/core.hpp>
#include <convene/protocol/documents/network.hpp>
#include <convene/protocol/documents/plan.hpp>

#include <string_view>

namespace convene::protocol {

/// Reads a document of one of the ten modules (collab, confirm, context, core,
/// dialog, extension, network, plan, role, trace) or one of the events
/// (events/), accepting what the protocol's schema accepts and a document's
/// `$comment`, which is dropped; integers must fit into 64 bits. The first
/// fault is returned as errc::invalid_document with a pointer (appended to
/// `pointer`), the schema keyword as its rule, and the value. A missing member
/// is reported at the object that lacks it.
template <class T>
[[nodiscard]] result<T>
decode(const json::value& from, std::string_view pointer = "");

/// The document as JSON, its members in schema order, followed by the extra
/// members of open objects. Decodes to an equal value.
template <class T>
[[nodiscard]] json::value encode(const T& from);

/// The most steps a plan may have.
inline constexpr std::size_t plan_steps_max = 10'000;

/// Checks of a plan that no schema can express: rules `unique_step_id`,
/// `known_dependency` and `no_cycle`; and errc::limit_reached with rule
/// `plan_steps_max`. `pointer` is the plan's location.
[[nodiscard]] result<void> check_plan(const plan& what,
                                      std::string_view pointer = "");

/// Likewise for a session: rule `unique_participant_id`.
[[nodiscard]] result<void> check_collab(const collab& what,
                                        std::string_view pointer = "");

/// Likewise for a protocol instance (MPLP lifecycles.md 10): rules
/// `unique_module_id` and `required_module_enabled`.
[[nodiscard]] result<void> check_core(const core& what,
                                      std::string_view pointer = "");

/// Likewise for a topology: rule `unique_node_id`.
[[nodiscard]] result<void> check_network(const network& what,
                                         std::string_view pointer = "");

} // namespace convene::protocol
