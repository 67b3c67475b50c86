#pragma once

#include <convene/lab/mock_model/profile.hpp>
#include <convene/server/http/route.hpp>

#include <cstddef>

namespace convene::server {

/// The largest request to a model.
inline constexpr std::size_t mock_prompt_bytes_max = std::size_t{8} << 20;

/// The endpoints of a mock of language models: OpenAI's chat completions and
/// models, Anthropic's messages, its count of tokens and models, and
/// /mock/calls, /mock/keys and /mock/prompts/{model}, which say what it was
/// asked. They share one state.
[[nodiscard]] routes mock_routes(host::mock::profile how);

} // namespace convene::server
