#include <boost/json/array.hpp>
#include <convene/runtime/outside/mcp/messages.hpp>
#include <convene/runtime/outside/mcp/server.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

using protocol::action_result;
using protocol::action_status;

/// What a tool answered, without what is not for its caller.
action_result called(mcp_connection::answer how, const std::string& server) {
  action_result made;
  if (!how) {
    made.status = how.error().code == "time_out" ? action_status::timed_out
                                                 : action_status::failed;
    made.error = std::move(how).error();
    return made;
  }
  const auto* content = how->if_contains("content");
  if (content == nullptr || !content->is_array()) {
    made.status = action_status::failed;
    made.error.code = "invalid_answer";
    made.error.message = "the MCP server " + server
                         + " answered tools/call without content";
    return made;
  }
  auto& output = made.output.emplace_object();
  for (const auto* name : {"content", "structuredContent", "isError"})
    if (auto* found = how->if_contains(name))
      output[name] = std::move(*found);
  return made;
}

} // namespace

void mcp_server::list(mcp_connection::when_listed then) {
  post([self = shared_from_this(), then = std::move(then)] {
    mcp_connection::failure why;
    const auto now = self->current(why);
    if (!now)
      return then(tl::unexpected{std::move(why)});
    now->list(self->timeout_ms_,
              [self, then](
                tl::expected<std::vector<tool>, mcp_connection::failure> how) {
                if (how)
                  self->note_answer();
                then(std::move(how));
              });
  });
}

std::function<void()> mcp_server::call(std::string tool,
                                       protocol::json::object arguments,
                                       std::int64_t timeout_ms,
                                       std::function<void(action_result)> then,
                                       const protocol::trace_context& trace) {
  struct begun {
    std::shared_ptr<mcp_connection> in;
    mcp_connection::request_id id = 0;
    bool is_cancelled = false;
  };
  const auto state = std::make_shared<begun>(); // for the loop's thread
  protocol::json::object params{{"name", std::move(tool)},
                                {"arguments", std::move(arguments)}};
  if (!trace.traceparent.empty())
    params.emplace("_meta", mcp_trace_meta(trace));
  post([self = shared_from_this(), state, params = std::move(params),
        timeout_ms, then = std::move(then)]() mutable {
    if (state->is_cancelled)
      return;
    mcp_connection::failure why;
    state->in = self->current(why);
    if (!state->in)
      return then(called(tl::unexpected{std::move(why)}, self->name_));
    const auto limit = timeout_ms > 0 ? std::min(timeout_ms, self->timeout_ms_)
                                      : self->timeout_ms_;
    state->id = state->in->ask("tools/call", std::move(params), limit,
                               [self, then = std::move(then)](
                                 mcp_connection::answer how) {
                                 if (how)
                                   self->note_answer();
                                 then(called(std::move(how), self->name_));
                               });
  });
  return [of = weak_from_this(), state] {
    if (const auto self = of.lock())
      self->post([state] {
        state->is_cancelled = true;
        if (state->in)
          state->in->cancel(state->id);
        state->in.reset();
      });
  };
}

} // namespace convene::host
