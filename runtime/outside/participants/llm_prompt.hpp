#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/runtime/outside/models/conversation.hpp>
#include <convene/runtime/outside/participants/llm_settings.hpp>

// What a model, or a remote agent, is told of its request; for sources in this
// folder only. Pure, and the same for a request that is made again: no token,
// no time.

namespace convene::host {

/// About so many bytes make a token.
inline constexpr std::size_t bytes_per_token = 4;

/// The prompt of the first round. Of the workspace and the dialog as much is
/// shown as `context_tokens` has room for.
[[nodiscard]] model_prompt first_prompt(const llm_settings& settings,
                                        const actors::turn_request& asked,
                                        std::vector<model_tool> tools);

/// Makes it a prompt for the model of these settings.
void address_prompt(model_prompt& what, const llm_settings& to);

/// Who is asked, and who else takes part.
[[nodiscard]] std::string introduction(const actors::turn_request& asked);

/// The dialog and the shared resources, at most so many bytes of them, and the
/// task.
[[nodiscard]] std::string request_text(const actors::turn_request& asked,
                                       workspace_part part,
                                       std::size_t bytes_max);

/// `text` cut to so many bytes at most, with a note that says so.
[[nodiscard]] std::string cut_text(std::string text, std::size_t bytes_max);

} // namespace convene::host
