#include <boost/json/serialize.hpp>
#include <convene/bindings/c/handles.hpp>
#include <convene/bindings/c/outcome.hpp>
#include <convene/protocol/documents/action_codec.hpp>

using namespace convene::c_api;
using convene::result;

namespace {

result<convene::protocol::action> action_argument(const char* text) {
  auto object = object_argument(text, "action");
  if (!object)
    return tl::unexpected(std::move(object).error());
  if (!object->contains("kind"))
    object->emplace("kind", "function");
  auto made = convene::protocol::decode_action(*object);
  if (made && made->kind == convene::protocol::action_kind::person)
    return convene::protocol::fail(
      {.code = convene::protocol::errc::invalid_document,
       .message = "only the library asks a person",
       .pointer = "/kind",
       .rule = "enum",
       .value = "person"});
  return made;
}

} // namespace

int convene_act(convene_request* request, const char* action,
                convene_action** begun, char** error) {
  return guarded(error, [&]() -> result<int> {
    if (request == nullptr || begun == nullptr)
      return null_argument(request == nullptr ? "request" : "begun");
    *begun = nullptr;
    auto what = action_argument(action);
    if (!what)
      return tl::unexpected(std::move(what).error());
    auto made
      = std::make_unique<convene_action>(convene_action{request->hub, {}});
    made->action = host_action::begin(*request->asked.live, *std::move(what));
    *begun = made.release();
    return CONVENE_OK;
  });
}

int convene_action_next(convene_action* action, int64_t timeout_ms, char** step,
                        char** error) {
  return guarded(error, [&]() -> result<int> {
    if (action == nullptr || step == nullptr)
      return null_argument(action == nullptr ? "action" : "step");
    *step = nullptr;
    const auto found = action->action->next(timeout_ms);
    if (found.code == CONVENE_OK)
      *step = text_for_caller(boost::json::serialize(found.shown));
    return found.code;
  });
}

int convene_action_end(convene_action* action, const char* result_of_it,
                       char** error) {
  return guarded(error, [&]() -> result<int> {
    if (action == nullptr)
      return null_argument("action");
    const auto object = object_argument(result_of_it, "result");
    if (!object)
      return tl::unexpected(object.error());
    auto made = convene::protocol::decode_action_result(*object);
    if (!made)
      return tl::unexpected(std::move(made).error());
    const auto is_sent = action->action->end(*std::move(made));
    if (!is_sent)
      return convene::protocol::fail(
        convene::protocol::errc::not_allowed,
        "the action has not begun: convene_action_next returns when it does",
        "action_not_begun");
    return *is_sent ? CONVENE_OK : CONVENE_OVER;
  });
}

void convene_action_free(convene_action* action) {
  if (action == nullptr)
    return;
  guarded(nullptr, [&]() -> result<int> {
    action->action->drop();
    return CONVENE_OK;
  });
  delete action;
}
