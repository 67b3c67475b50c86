#pragma once

#include <boost/json/value.hpp>
#include <convene/cli/people/terminal_form.hpp>
#include <convene/runtime/outside/client/client.hpp>

#include <functional>
#include <string>

namespace convene::cli {

/// What became of an answer to a node of a run.
struct delivered {
  enum class how : std::uint8_t { taken, wrong, over } what = how::taken;
  std::string text; ///< to be shown; may hold anything
};

/// Sends a resume value (docs/server-runs.md).
using send_function = std::function<delivered(const boost::json::value& what)>;

/// How a node's question is put at a terminal: an approval is answered by one
/// of its actions, a clarification by a line for each question, a conversation
/// by its turns until it is closed, all else by JSON. `send` is called on the
/// terminal's thread.
[[nodiscard]] terminal_form form_of(run_interrupt asked, send_function send);

/// "an approval is wanted", in words.
[[nodiscard]] std::string_view wanted_words(const run_interrupt& asked);

} // namespace convene::cli
