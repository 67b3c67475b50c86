#include <boost/json/serialize.hpp>
#include <convene/server/http/response.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

/// The codes of A2A's own errors, which have a fixed status.
struct a2a_error {
  std::string_view code;
  std::string_view status;
};

constexpr std::string_view unmet = "FAILED_PRECONDITION";
constexpr std::array a2a_errors{
  a2a_error{"task_not_found", "NOT_FOUND"},
  a2a_error{"task_not_cancelable", unmet},
  a2a_error{"push_notification_not_supported", unmet},
  a2a_error{"unsupported_operation", unmet},
  a2a_error{"content_type_not_supported", "INVALID_ARGUMENT"},
  a2a_error{"invalid_params", "INVALID_ARGUMENT"},
  a2a_error{"version_not_supported", unmet}};

/// What google.rpc.Code calls an error that HTTP gives this status.
std::string_view rpc_status(unsigned status) {
  switch (status) {
    case 401:
      return "UNAUTHENTICATED";
    case 403:
      return "PERMISSION_DENIED";
    case 404:
      return "NOT_FOUND";
    case 409:
      return "ABORTED";
    case 413:
    case 429:
      return "RESOURCE_EXHAUSTED";
    case 405:
      return "UNIMPLEMENTED";
    case 503:
      return "UNAVAILABLE";
    default:
      return status < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
  }
}

json::object rpc_error(unsigned status, std::string_view code,
                       std::string_view message, const json::object& details) {
  const auto* own = std::ranges::find(a2a_errors, code, &a2a_error::code);
  const bool is_own = own != a2a_errors.end();
  std::string reason{code};
  std::ranges::transform(reason, reason.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  json::object info{{"@type", "type.googleapis.com/google.rpc.ErrorInfo"},
                    {"reason", reason},
                    {"domain", is_own ? "a2a-protocol.org" : "convene"}};
  json::object texts; // as google.rpc.ErrorInfo wants it
  for (const auto& each : details)
    texts[each.key()] = each.value().is_string()
                          ? std::string{each.value().get_string()}
                          : json::serialize(each.value());
  if (!texts.empty())
    info["metadata"] = std::move(texts);
  return {{"code", status},
          {"status", is_own ? own->status : rpc_status(status)},
          {"message", message},
          {"details", json::array{std::move(info)}}};
}

} // namespace

response json_response(unsigned status, const boost::json::value& body) {
  return {.status = status, .body = boost::json::serialize(body)};
}

response error_response(error_form form, unsigned status, std::string_view code,
                        std::string_view message, boost::json::object details) {
  if (form == error_form::a2a) {
    auto made = json_response(
      status, {{"error", rpc_error(status, code, message, details)}});
    made.content_type = a2a_media_type;
    return made;
  }
  boost::json::object rest{{"message", message}};
  if (!details.empty())
    rest["details"] = std::move(details);
  if (form == error_form::openwop) {
    boost::json::object body{{"error", code}};
    body.insert(rest.begin(), rest.end());
    return json_response(status, body);
  }
  boost::json::object what{{"code", code}};
  what.insert(rest.begin(), rest.end());
  return json_response(status, {{"error", std::move(what)}});
}

} // namespace convene::server
