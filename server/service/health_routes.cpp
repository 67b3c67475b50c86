#include <convene/server/service/health_routes.hpp>

#include <chrono>
#include <utility>

namespace convene::server {
namespace {

constexpr std::chrono::milliseconds ready_time{90};

response not_ready(std::string_view why) {
  return error_response(error_form::native, 503, "not_ready", why);
}

} // namespace

routes health_routes(readiness is_ready, std::size_t refused_workflows) {
  boost::json::object ready{{"status", "ready"}};
  if (refused_workflows != 0)
    ready["refusedWorkflows"] = refused_workflows;
  return {{.method = "GET",
           .pattern = "/healthz",
           .call =
             [](const request&, const responder& to) {
               to(json_response(200, {{"status", "ok"}}));
             },
           .is_vital = true,
           .about = "Whether the server answers"},
          {.method = "GET",
           .pattern = "/readyz",
           .call =
             [is_ready = std::move(is_ready),
              ready = std::move(ready)](const request&, const responder& to) {
               is_ready([to, ready](const std::string& why) {
                 to(why.empty() ? json_response(200, ready) : not_ready(why));
               });
               if (!to.is_answered())
                 to.after(ready_time, [] {
                   return not_ready("the data folder's file system does not "
                                    "answer");
                 });
             },
           .is_vital = true,
           .about = "Whether the server takes work"}};
}

} // namespace convene::server
