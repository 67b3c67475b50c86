#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/rpc_message.hpp>

#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::size_t depth_max = 100;
constexpr std::size_t id_bytes_max = 256;

tl::unexpected<broken_rpc> broken(std::int64_t code, std::string message,
                                  json::value id = nullptr) {
  return tl::unexpected{
    broken_rpc{.id = std::move(id),
               .fault = {.code = code, .message = std::move(message)}}};
}

/// Whether an answer can have it: a text or a whole number.
bool is_id(const json::value& what) {
  if (const auto* text = what.if_string())
    return text->size() <= id_bytes_max;
  return what.is_int64() || what.is_uint64();
}

tl::expected<rpc_message, broken_rpc> read_object(json::object& from) {
  const auto* given = from.if_contains("id");
  if (given != nullptr && !is_id(*given))
    return broken(rpc_code::invalid_request,
                  "`id` must be a whole number or a text of at most "
                    + std::to_string(id_bytes_max) + " bytes");
  json::value id = given == nullptr ? json::value{} : *given;
  if (protocol::text_of(from, "jsonrpc") != "2.0")
    return broken(rpc_code::invalid_request, R"(`jsonrpc` must be "2.0")",
                  std::move(id));
  if (!from.contains("method")
      && (from.contains("result") || from.contains("error")))
    return rpc_message{.what = rpc_message::kind::answer};
  rpc_message made{.what = given == nullptr ? rpc_message::kind::notification
                                            : rpc_message::kind::request,
                   .id = id,
                   .method = std::string{protocol::text_of(from, "method")}};
  if (made.method.empty())
    return broken(rpc_code::invalid_request, "`method` must be a text",
                  std::move(id));
  if (auto* params = from.if_contains("params")) {
    if (!params->is_object())
      return broken(rpc_code::invalid_request, "`params` must be an object",
                    std::move(id));
    made.params = std::move(params->get_object());
  }
  return made;
}

} // namespace

broken_rpc too_long(std::size_t bytes_max) {
  return {.id = nullptr,
          .fault = {.code = rpc_code::invalid_request,
                    .message = "the message is longer than "
                               + std::to_string(bytes_max)
                               + " bytes: send less at a time"}};
}

tl::expected<rpc_message, broken_rpc> read_rpc(std::string_view text,
                                               std::size_t bytes_max) {
  if (text.size() > bytes_max)
    return tl::unexpected{too_long(bytes_max)};
  auto value = protocol::parse_json(text,
                                    {.depth = depth_max, .bytes = bytes_max});
  if (!value)
    return broken(rpc_code::parse_error,
                  "the message is not valid JSON: " + to_string(value.error()));
  if (value->is_array())
    return broken(rpc_code::invalid_request,
                  "batches are not supported: send one message at a time");
  if (!value->is_object())
    return broken(rpc_code::invalid_request,
                  "the message must be a JSON object");
  return read_object(value->get_object());
}

std::string rpc_answer(const json::value& id, json::object result) {
  return json::serialize(json::object{
    {"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string rpc_answer(const json::value& id, const rpc_fault& fault) {
  json::object error{{"code", fault.code}, {"message", fault.message}};
  if (!fault.data.empty())
    error.emplace("data", fault.data);
  return json::serialize(
    json::object{{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
}

} // namespace convene::server
