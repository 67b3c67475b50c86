#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/words.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace convene::host {

/// How a reply that is one JSON object is asked for, besides in words.
enum class response_format : std::uint8_t { none, json_object, json_schema };

/// Which JSON Schema a provider accepts for tools.
enum class schema_subset : std::uint8_t {
  common, ///< what all providers accept but Gemini
  gemini, ///< few keywords, and a type everywhere
};

/// In what a request differs between servers of one wire format.
struct request_shape {
  std::string max_tokens_name = "max_tokens"; ///< empty: it is left out
  response_format format = response_format::json_schema;
  bool stream_options = true;
  schema_subset schemas = schema_subset::common;
  bool short_call_ids = false; ///< nine letters and digits
  std::optional<double> top_p;
  std::string reasoning_effort; ///< empty: left out
  std::optional<bool> parallel_tool_calls;
  boost::json::object extra; ///< more members; they win over the others

  bool operator==(const request_shape&) const = default;
};

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::string_view response_format_words[]
  = {"none", "json_object", "json_schema"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<host::response_format>{response_format_words};

} // namespace convene::protocol
