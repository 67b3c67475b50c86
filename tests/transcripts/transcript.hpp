#pragma once

#include <string>
#include <vector>

namespace convene::test {

/// One input of a transcript, and what it has.
struct transcript_step {
  std::string lines;   ///< comments and the input, as they are in the file
  std::string command; ///< the input's first line
  std::string json;    ///< the lines below it; empty: none
  std::string effects; ///< what the file says comes of it, a line each
};

/// Reads a transcript: steps of comments (`#`), a command, JSON if it has any,
/// a line `----` and the effects, with an empty line between two steps. Throws
/// std::runtime_error.
[[nodiscard]] std::vector<transcript_step>
read_transcript(const std::string& text);

/// What came of playing a transcript.
struct played_transcript {
  std::string text; ///< of the same inputs, with the effects they have
  std::vector<std::string> lines; ///< the session's log
  std::string policy;
  std::string ending; ///< "completed: rounds"; empty: it goes on
};

/// Feeds the inputs to a session machine. Throws std::runtime_error for one
/// that cannot be read.
[[nodiscard]] played_transcript play(const std::vector<transcript_step>& steps);

} // namespace convene::test
