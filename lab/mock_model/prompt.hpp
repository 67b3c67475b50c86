#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace convene::host::mock {

/// Whose form a request and its answer have.
enum class wire_form : std::uint8_t { openai, anthropic };

/// The bytes of a model's name.
inline constexpr std::size_t model_name_max = 256;

/// A tool that a request offers.
struct offered_tool {
  std::string name;
  boost::json::object parameters; ///< a JSON Schema
};

/// Whether an answer may call one of the tools.
enum class tool_choice : std::uint8_t { automatic, none, required };

/// A request to a model, in words of no provider.
struct prompt {
  wire_form form = wire_form::openai;
  std::string model;
  bool streams = false;
  bool wants_usage = false;    ///< OpenAI: as the last chunk of a stream
  std::int64_t tokens_max = 0; ///< of the answer; 0: not said
  std::int64_t tokens = 0;     ///< of what is said
  std::vector<offered_tool> tools;
  tool_choice choice = tool_choice::automatic;
  std::string said;    ///< all texts of its messages, one a line
  std::string content; ///< what it asks, in one form, streamed or not
};

/// Why a request is not one.
struct bad_prompt {
  std::string message;
  std::string member; ///< which is missing or wrong
};

[[nodiscard]] tl::expected<prompt, bad_prompt>
read_prompt(wire_form form, const boost::json::value& body);

} // namespace convene::host::mock
