#include <convene/bindings/c/handles.hpp>
#include <convene/bindings/c/outcome.hpp>
#include <convene/bindings/c/wait_limit.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>

using namespace convene::c_api;
using convene::result;

namespace {

/// The reply that has `what` as its only item of this name.
result<convene::reply> reply_of_one(const char* what, const char* name) {
  auto object = object_argument(what, name);
  if (!object)
    return tl::unexpected(std::move(object).error());
  return convene::protocol::decode_reply(
    boost::json::object{{name, boost::json::array{*std::move(object)}}});
}

} // namespace

int convene_next_request(convene_runtime* runtime, int64_t timeout_ms,
                         convene_request** request, char** error) {
  return guarded(error, [&]() -> result<int> {
    if (runtime == nullptr || request == nullptr)
      return null_argument(runtime == nullptr ? "runtime" : "request");
    *request = nullptr;
    auto& queue = runtime->hub->requests();
    auto found = timeout_ms < 0 ? queue.next()
                                : queue.next_for(wait_limit(timeout_ms));
    if (!found)
      return queue.is_closed() ? CONVENE_ENDED : CONVENE_TIMEOUT;
    *request = new convene_request{runtime->hub, *std::move(found)};
    return CONVENE_OK;
  });
}

void convene_wake(convene_runtime* runtime) {
  if (runtime != nullptr)
    runtime->hub->requests().wake();
}

int convene_request_fd(convene_runtime* runtime) {
  return runtime == nullptr ? -1 : runtime->hub->requests().descriptor();
}

const char* convene_request_json(convene_request* request) {
  if (request == nullptr)
    return nullptr;
  try {
    std::call_once(request->is_written, [request] {
      request->text = convene::host::request_json(request->asked);
    });
    return request->text.c_str();
  } catch (...) {
    return nullptr; // no memory is left
  }
}

int convene_answer(convene_request* request, const char* reply, char** error) {
  return guarded(error, [&]() -> result<int> {
    if (request == nullptr)
      return null_argument("request");
    const auto object = object_argument(reply, "reply");
    if (!object)
      return tl::unexpected(object.error());
    auto made = convene::protocol::decode_reply(*object);
    if (!made)
      return tl::unexpected(std::move(made).error());
    return request->asked.live->answer(*std::move(made)) ? CONVENE_OK
                                                         : CONVENE_OVER;
  });
}

int convene_request_over(const convene_request* request) {
  return request != nullptr && request->asked.live->is_over() ? 1 : 0;
}

int convene_write(convene_request* request, const char* write, char** error) {
  return guarded(error, [&]() -> result<int> {
    if (request == nullptr)
      return null_argument("request");
    auto made = reply_of_one(write, "writes");
    if (!made)
      return tl::unexpected(std::move(made).error());
    return request->asked.live->write(std::move(made->writes.front()))
             ? CONVENE_OK
             : CONVENE_OVER;
  });
}

int convene_claim(convene_request* request, const char* claim, char** error) {
  return guarded(error, [&]() -> result<int> {
    if (request == nullptr)
      return null_argument("request");
    auto made = reply_of_one(claim, "claim");
    if (!made)
      return tl::unexpected(std::move(made).error());
    return request->asked.live->claim(std::move(made->claim.front()))
             ? CONVENE_OK
             : CONVENE_OVER;
  });
}

void convene_request_free(convene_request* request) {
  delete request;
}
