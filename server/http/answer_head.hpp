#pragma once

#include <convene/server/http/response.hpp>

#include <string>
#include <string_view>

namespace convene::server {

/// What an answer's head needs to know besides the answer.
struct answer_frame {
  std::string_view request_id;
  std::string_view cors_origin; ///< empty: not said
  bool keep_alive = true;
  bool is_head = false; ///< the answer to HEAD: the body is left out
  bool is_http_1_0 = false;
};

/// The status line and the headers, up to and with the empty line. A header
/// that would not be one line is left out.
[[nodiscard]] std::string answer_head(const response& answer,
                                      const answer_frame& frame);

/// Some bytes of a stream as a chunk.
[[nodiscard]] std::string as_chunk(std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

} // namespace convene::server
