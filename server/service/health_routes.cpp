#include <convene/server/service/health_routes.hpp>

#include <utility>

namespace convene::server {

routes health_routes(std::function<bool()> is_ready) {
  return {{.method = "GET",
           .pattern = "/healthz",
           .call =
             [](const request&, const responder& to) {
               to(json_response(200, {{"status", "ok"}}));
             },
           .about = "Whether the server answers"},
          {.method = "GET",
           .pattern = "/readyz",
           .call =
             [is_ready = std::move(is_ready)](const request&,
                                              const responder& to) {
               if (is_ready())
                 to(json_response(200, {{"status", "ready"}}));
               else
                 to(error_response(error_form::native, 503, "not_ready",
                                   "the server stops"));
             },
           .about = "Whether the server takes work"}};
}

} // namespace convene::server
