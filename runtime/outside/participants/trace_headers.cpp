#include <boost/json/serialize.hpp>
#include <convene/runtime/outside/participants/trace_headers.hpp>

#include <string_view>

namespace convene::host {
namespace {

void set_variable(std::vector<std::string>& environment, std::string_view name,
                  const std::string& value) {
  const auto prefix = std::string{name} + '=';
  std::erase_if(environment, [&](const std::string& each) {
    return each.starts_with(prefix);
  });
  if (!value.empty())
    environment.push_back(prefix + value);
}

} // namespace

void add_trace_headers(http_request& to, const protocol::trace_context& trace) {
  if (trace.traceparent.empty())
    return;
  to.headers.push_back({"traceparent", trace.traceparent});
  if (!trace.tracestate.empty())
    to.headers.push_back({"tracestate", trace.tracestate});
}

void add_trace_variables(std::vector<std::string>& environment,
                         const protocol::trace_context& trace) {
  if (trace.traceparent.empty())
    return;
  set_variable(environment, "TRACEPARENT", trace.traceparent);
  set_variable(environment, "TRACESTATE", trace.tracestate);
}

std::string with_trace(std::string request,
                       const protocol::trace_context& trace) {
  if (trace.traceparent.empty() || !request.starts_with('{'))
    return request;
  std::string made = R"({"traceparent":")" + trace.traceparent + R"(",)";
  if (!trace.tracestate.empty())
    made += R"("tracestate":)"
            + boost::json::serialize(boost::json::string{trace.tracestate})
            + ',';
  return made + request.substr(1);
}

} // namespace convene::host
