#include <boost/json/serialize.hpp>
#include <convene/server/http/response.hpp>

namespace convene::server {

response json_response(unsigned status, const boost::json::value& body) {
  return {.status = status, .body = boost::json::serialize(body)};
}

response error_response(error_form form, unsigned status, std::string_view code,
                        std::string_view message, boost::json::object details) {
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
