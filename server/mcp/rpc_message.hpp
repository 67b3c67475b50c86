#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::server {

/// The error of a JSON-RPC answer.
struct rpc_fault {
  std::int64_t code = 0;
  std::string message;
  boost::json::object data = {}; ///< left out if it is empty
};

namespace rpc_code {
inline constexpr std::int64_t parse_error = -32700;
inline constexpr std::int64_t invalid_request = -32600;
inline constexpr std::int64_t method_not_found = -32601;
inline constexpr std::int64_t invalid_params = -32602;
inline constexpr std::int64_t internal_error = -32603;
inline constexpr std::int64_t busy = -32000;
inline constexpr std::int64_t header_mismatch = -32020;
inline constexpr std::int64_t unsupported_version = -32022;
} // namespace rpc_code

/// A message from a client.
struct rpc_message {
  enum class kind : std::uint8_t { request, notification, answer };

  kind what = kind::request;
  boost::json::value id; ///< of a request: a text or a whole number
  std::string method;
  boost::json::object params;
};

/// A message that is none, and the id to answer it with: null if it has none.
struct broken_rpc {
  boost::json::value id;
  rpc_fault fault;
};

/// Reads one JSON-RPC 2.0 message of at most so many bytes. A batch is refused.
[[nodiscard]] tl::expected<rpc_message, broken_rpc>
read_rpc(std::string_view text, std::size_t bytes_max);

/// A message that is too long to be read at all.
[[nodiscard]] broken_rpc too_long(std::size_t bytes_max);

/// Answers, on one line without its end.
[[nodiscard]] std::string rpc_answer(const boost::json::value& id,
                                     boost::json::object result);
[[nodiscard]] std::string rpc_answer(const boost::json::value& id,
                                     const rpc_fault& fault);

} // namespace convene::server
