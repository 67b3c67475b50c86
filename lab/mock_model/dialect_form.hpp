#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/mock_model/answer_form.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// What servers do in their own ways with OpenAI's chat completions, as their
// documentation and reports of their users have it.

namespace convene::host::mock {

/// Whether calls come whole in a stream.
[[nodiscard]] bool sends_whole_calls(dialect by);

/// Changes a call, or a piece of one that begins at `piece` - 1 of its
/// arguments; 0: the call, or its beginning.
void shape_call(dialect by, boost::json::object& call, const answer& what,
                std::size_t number, std::size_t piece);

/// Adds the thoughts to a whole message, or to the first delta of a stream.
void shape_message(dialect by, boost::json::object& message,
                   const answer& what);
void shape_beginning(dialect by, boost::json::object& delta,
                     const answer& what);

[[nodiscard]] std::string_view finish_word(dialect by, finish why);

void add_usage(dialect by, boost::json::object& to, boost::json::object usage);

/// An error of OpenAI's in the server's shape.
[[nodiscard]] std::string shape_error(dialect by, unsigned status,
                                      std::string body);

/// Why a server does not take a request's messages.
struct refused_history {
  unsigned status = 400;
  std::string message;
};

/// Nothing: it takes them. `body` is the request's.
[[nodiscard]] std::optional<refused_history>
history_fault(dialect by, std::string_view body);

} // namespace convene::host::mock
