#pragma once

#include <convene/protocol/documents/common.hpp>
#include <convene/protocol/graph/graph.hpp>

#include <optional>

namespace convene::protocol {

/// What documents may name as a role.
enum class role_words : std::uint8_t {
  known, ///< where the graph has any Role, only one of these
  any    ///< what is no Role of the graph has no node
};

/// Adds what a module's document stands for: a node for the object and one for
/// each part, with the members that say what it is and how it stands, and edges
/// to what it refers to. That has to be in the graph, so Contexts and Roles
/// come first, Confirms after what they are about: rule `node_missing`, with
/// the pointer of the member that refers. A Role is named by its id or its
/// name; if the graph has no Role at all, roles that documents name are not
/// nodes. Of a Dialog, only the first `graph_messages_max` messages are.
///
/// The document should be valid by its schema: members of another type than the
/// schema's count as missing, ids that are missing are an error of rule
/// `required`. After an error the graph has part of the document.
[[nodiscard]] result<void> add_document(project_graph& to, module which,
                                        const json::object& document,
                                        role_words roles = role_words::known);

/// In which order documents are added, so that what one refers to is there.
[[nodiscard]] int graph_order(module which) noexcept;

/// The Role with this id or name; nothing: there is none.
[[nodiscard]] std::optional<graph_key> find_role(const project_graph& in,
                                                 std::string_view name);

/// Connects a node with a Role, as long as the graph has any.
[[nodiscard]] result<void>
connect_role(project_graph& in, graph_edge_kind kind, const graph_key& from,
             std::string_view role, role_words roles = role_words::known);

/// Connects a decision with the Role that took it; what the program approves by
/// itself (`convene`), no Role has decided.
[[nodiscard]] result<void>
connect_decider(project_graph& in, const graph_key& decision,
                const json::object& document, role_words roles);

/// The members of a node of this kind, of those that a document or an event
/// has.
[[nodiscard]] json::object node_members(graph_node_kind kind,
                                        const json::object& from);

/// Adds a document's nodes and edges where its object may be there
/// already: they become those of this document, and parts that it no longer has
/// are removed (rule `node_in_use` if something else refers to one). What a log
/// told of it stays.
[[nodiscard]] result<void> put_document(project_graph& to, module which,
                                        const json::object& document);

/// What a module's objects are as nodes.
[[nodiscard]] graph_node_kind object_kind(module which) noexcept;

/// A part of a document, and its node; parts without an id are left out.
struct document_part {
  graph_key key;
  const json::object* members;
};

[[nodiscard]] std::vector<document_part> parts_of(module which,
                                                  const json::object& document);

/// What the parts are as nodes; nothing: the module's objects have none.
[[nodiscard]] std::optional<graph_node_kind> part_kind(module which) noexcept;

} // namespace convene::protocol
