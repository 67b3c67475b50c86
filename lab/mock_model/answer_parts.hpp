#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/lab/mock_model/answer_form.hpp>

#include <cstddef>
#include <string>
#include <string_view>

// What the two forms are made of; for sources in this folder only.

namespace convene::host::mock {

/// The provider's word for why an answer ends.
[[nodiscard]] std::string_view openai_finish(finish why);
[[nodiscard]] std::string_view anthropic_finish(finish why);

/// OpenAI's members of any answer or chunk.
[[nodiscard]] boost::json::object
openai_base(const asked_for& by, const answer& what, std::string_view object);
[[nodiscard]] boost::json::object openai_usage(const asked_for& by,
                                               const answer& what);
[[nodiscard]] boost::json::object
openai_call(const answer& what, std::size_t number, std::string arguments);

/// Anthropic's message with this content.
[[nodiscard]] boost::json::object
anthropic_message(const asked_for& by, const answer& what,
                  boost::json::array content, bool is_whole);
/// A block without its text or input.
[[nodiscard]] boost::json::object
anthropic_block(const answer& what, const tool_call* call, std::size_t number);

} // namespace convene::host::mock
