#pragma once

#include <convene/protocol/workflow/workflow.hpp>

namespace convene::protocol {

/// A fault at a place of the definition.
[[nodiscard]] tl::unexpected<error>
workflow_fault(std::string rule, std::string message, std::string pointer,
               std::string value = {}, errc code = errc::invalid_document);

/// Nodes before and after each, and its trigger rule.
[[nodiscard]] result<void> connect_nodes(workflow& to,
                                         const std::string& pointer);

/// What inputs name is there, and comes before them.
[[nodiscard]] result<void> check_inputs(const workflow& of,
                                        const std::string& pointer);

/// A run has one orchestrator, and a dispatch what it can dispatch.
[[nodiscard]] result<void> check_orchestrators(const workflow& of,
                                               const std::string& pointer);

/// The channels of a definition and of its nodes, which agree.
[[nodiscard]] result<void> collect_channels(workflow& to,
                                            const std::string& pointer);

} // namespace convene::protocol
