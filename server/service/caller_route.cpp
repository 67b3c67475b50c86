#include <boost/json/array.hpp>
#include <convene/server/service/caller_route.hpp>

#include <utility>

namespace convene::server {

route caller_route() {
  return {.method = "GET",
          .pattern = "/v1/caller",
          .call =
            [](const request& asked, const responder& to) {
              const auto& by = asked.by;
              boost::json::object body{
                {"scopes",
                 boost::json::array(by.scopes.begin(), by.scopes.end())}};
              if (!by.session_id.empty()) {
                body["session_id"] = by.session_id;
                body["participant_id"] = by.participant_id;
              }
              to(json_response(200, body));
            },
          .about = "What the caller's key allows"};
}

} // namespace convene::server
