#include "request_pump.hpp"

#include "environment.hpp"
#include "values.hpp"

#include <utility>
#include <vector>

namespace convene::node {
namespace {

constexpr std::size_t requests_at_once = 64;

/// Waits for requests; none: the runtime is closed.
std::vector<request_handle> next_requests(convene_runtime* from) {
  std::vector<request_handle> found;
  while (found.size() < requests_at_once) {
    convene_request* request = nullptr;
    const int code = convene_next_request(from, found.empty() ? -1 : 0,
                                          &request, nullptr);
    if (code == CONVENE_OK) {
      convene_request_json(request); // written by this thread
      found.emplace_back(request, convene_request_free);
    } else if (code != CONVENE_TIMEOUT || !found.empty())
      break;
  }
  return found;
}

void call_with(napi_env env, napi_ref on_requests,
               const std::vector<request_handle>& requests) {
  napi_value list = nullptr;
  napi_create_array_with_length(env, requests.size() * 2, &list);
  std::uint32_t at = 0;
  for (const auto& each : requests) {
    napi_value json = nullptr;
    napi_create_string_utf8(env, convene_request_json(each.get()),
                            NAPI_AUTO_LENGTH, &json);
    napi_set_element(env, list, at++, wrapped(env, each));
    napi_set_element(env, list, at++, json);
  }
  napi_value function = nullptr;
  napi_get_reference_value(env, on_requests, &function);
  napi_call_function(env, undefined(env), function, 1, &list, nullptr);
}

} // namespace

void pump_requests(napi_env env, const std::shared_ptr<runtime_handle>& from,
                   napi_value on_requests) {
  napi_ref function = nullptr;
  napi_create_reference(env, on_requests, 1, &function);
  const bool is_taken
    = from->requests->add([from, function, &here = environment::of(env)] {
        for (;;) {
          auto requests = next_requests(from->runtime);
          const bool is_end = requests.empty();
          here.deliver(
            [function, is_end, requests = std::move(requests)](napi_env then) {
              if (is_end)
                napi_delete_reference(then, function);
              else
                call_with(then, function, requests);
            });
          if (is_end)
            return;
        }
      });
  if (!is_taken)
    napi_delete_reference(env, function);
}

} // namespace convene::node
