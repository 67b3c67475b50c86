#include <convene/bindings/c/handles.hpp>
#include <convene/bindings/c/outcome.hpp>
#include <convene/bindings/c/wait_limit.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>

#include <cstddef>
#include <string_view>

using namespace convene::c_api;
using convene::result;

namespace {

constexpr std::size_t text_bytes_max = std::size_t{1} << 20;

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

int convene_stream(convene_request* request, const char* text, char** error) {
  return guarded(error, [&]() -> result<int> {
    if (request == nullptr || text == nullptr)
      return null_argument(request == nullptr ? "request" : "text");
    const std::string_view piece{text};
    if (piece.size() > text_bytes_max)
      return convene::protocol::fail(
        convene::protocol::errc::limit_reached,
        "a piece of text has at most 1 MiB: stream it in several",
        "text_bytes_max");
    if (!convene::protocol::valid_utf8(piece))
      return convene::protocol::fail(convene::protocol::errc::usage,
                                     "the text is not UTF-8", "utf8");
    if (request->asked.live->is_over())
      return CONVENE_OVER;
    request->hub->texts().say(request->asked.session_id,
                              request->asked.participant, piece);
    return CONVENE_OK;
  });
}

void convene_request_free(convene_request* request) {
  delete request;
}
