#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>

#include <string>
#include <string_view>

namespace convene::actors {

/// The member of a behaviour that says where it runs.
inline constexpr std::string_view node_member = "node";

/// A node of a cluster on which a participant is to run. One of both is empty.
struct node_place {
  std::string name;
  std::string label; ///< "gpu", or "gpu=yes"

  bool operator==(const node_place&) const = default;
};

/// For messages: `node "a"`, `label "gpu"`.
[[nodiscard]] std::string to_string(const node_place& what);

/// Whether the behaviour is to run on a node that it names.
[[nodiscard]] bool names_node(const protocol::json::value& behaviour) noexcept;

/// Whether a behaviour of this type can run on another node: not a function of
/// the application, a person, an external system or a recording. `pointer` is
/// that of the behaviour.
[[nodiscard]] protocol::result<void>
check_node_type(const protocol::json::value& behaviour,
                std::string_view pointer);

/// Reads `{"name": "a"}` or `{"label": "gpu"}`, the `node` of the behaviour at
/// `pointer`, after `check_node_type`.
[[nodiscard]] protocol::result<node_place>
read_node_place(const protocol::json::value& behaviour,
                std::string_view pointer);

/// The behaviour without its `node`.
[[nodiscard]] protocol::json::value
without_node(const protocol::json::value& behaviour);

} // namespace convene::actors
