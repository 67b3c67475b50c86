#include <boost/json/array.hpp>
#include <convene/runtime/outside/mcp/messages.hpp>
#include <convene/runtime/outside/mcp/server.hpp>
#include <spdlog/spdlog.h>

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

mcp_server::mcp_server(std::string name, program what, std::int64_t timeout_ms,
                       std::shared_ptr<processes> on)
  : name_{std::move(name)}, what_{std::move(what)},
    timeout_ms_{timeout_ms}, on_{std::move(on)} {
  // nop
}

mcp_server::~mcp_server() {
  if (!run_)
    return;
  run_->program->stop(close_ms);
  on_->post([last = std::move(run_)] { // where its connection is used
    mcp_connection::failure why;
    why.code = "cancelled";
    why.message = "the MCP server is no longer needed";
    last->connection->end(std::move(why));
  });
}

void mcp_server::list(mcp_connection::when_listed then) {
  on_->post([self = shared_from_this(), then = std::move(then)] {
    if (const auto now = self->current())
      now->connection->list(
        self->timeout_ms_,
        [self,
         then](tl::expected<std::vector<tool>, mcp_connection::failure> how) {
          if (how)
            self->deaths_ = 0;
          then(std::move(how));
        });
    else
      then(tl::unexpected{self->last_death_});
  });
}

std::function<void()> mcp_server::call(std::string tool,
                                       protocol::json::object arguments,
                                       std::int64_t timeout_ms,
                                       std::function<void(action_result)> then,
                                       const protocol::trace_context& trace) {
  struct begun {
    std::shared_ptr<run> in;
    mcp_connection::request_id id = 0;
    bool is_cancelled = false;
  };
  const auto state = std::make_shared<begun>(); // for the loop's thread
  protocol::json::object params{{"name", std::move(tool)},
                                {"arguments", std::move(arguments)}};
  if (!trace.traceparent.empty())
    params.emplace("_meta", mcp_trace_meta(trace));
  auto begin = [self = shared_from_this(), state, params = std::move(params),
                timeout_ms, then = std::move(then)]() mutable {
    if (state->is_cancelled)
      return;
    state->in = self->current();
    if (!state->in)
      return then(called(tl::unexpected{self->last_death_}, self->name_));
    const auto limit = timeout_ms > 0 ? std::min(timeout_ms, self->timeout_ms_)
                                      : self->timeout_ms_;
    state->id = state->in->connection->ask(
      "tools/call", std::move(params), limit,
      [self, then = std::move(then)](mcp_connection::answer how) {
        if (how)
          self->deaths_ = 0;
        then(called(std::move(how), self->name_));
      });
  };
  on_->post(std::move(begin));
  return [on = std::weak_ptr{on_}, state] {
    if (const auto loop = on.lock())
      loop->post([state] {
        state->is_cancelled = true;
        if (state->in)
          state->in->connection->cancel(state->id);
        state->in.reset();
      });
  };
}

/// The run that requests go to; null: it died too often.
std::shared_ptr<mcp_server::run> mcp_server::current() {
  if (run_ && run_->connection->is_over()) {
    // It broke the protocol, or its beginning failed.
    run_->program->stop(close_ms);
    last_death_ = run_->connection->why_over();
    run_.reset();
    ++deaths_;
  }
  if (!run_ && deaths_ < deaths_max)
    run_ = start();
  return run_;
}

void mcp_server::start_program(const std::shared_ptr<run>& of) {
  const std::weak_ptr<run> weak = of;
  of->program = on_->start(
    what_, {.line =
              [weak, server = weak_from_this()](const std::string& line) {
                const auto run = weak.lock();
                if (!run)
                  return;
                run->connection->take_line(line);
                if (const auto self = server.lock();
                    self && run->connection->is_ready(mcp_era::initialized))
                  self->is_older_ = true;
              },
            .error_line =
              [name = name_](std::string_view line) {
                spdlog::info("mcp {}: {}", name, line);
              },
            .ended =
              [weak, server = weak_from_this()](const program_end& how) {
                const auto run = weak.lock();
                const auto self = server.lock();
                if (self && run)
                  self->take_end(run, how);
              }});
}

std::shared_ptr<mcp_server::run> mcp_server::start() {
  const auto made = std::make_shared<run>();
  const std::weak_ptr<run> weak = made;
  start_program(made);
  mcp_wire wire{.send =
                  [weak](std::string_view line) {
                    const auto self = weak.lock();
                    return self && self->program->send(line);
                  },
                .after =
                  [weak, on = on_.get()](std::int64_t time_ms,
                                         std::function<void()> then) {
                    return on->after(time_ms, [weak, then = std::move(then)] {
                      if (const auto self = weak.lock())
                        then();
                    });
                  },
                .note =
                  [name = name_](std::string_view what) {
                    spdlog::warn("mcp {}: it {}", name, what);
                  }};
  made->connection = std::make_unique<mcp_connection>(name_, std::move(wire),
                                                      timeout_ms_, is_older_);
  return made;
}

namespace {

/// Whether it has ended by itself, as older servers do when their first message
/// is none that they know.
bool is_own_end(const program_end& how) {
  return how.code.empty() || how.code == "exit_code" || how.code == "signal";
}

/// A server that ends without an error may still have said why.
std::string unasked_end(const program_end& how, const program& of) {
  auto words = name_of(of) + " exited with code 0";
  if (!how.last_errors.empty())
    words += "; the end of its standard error: " + how.last_errors;
  return words;
}

} // namespace

void mcp_server::take_end(const std::shared_ptr<run>& of,
                          const program_end& how) {
  if (of == run_ && of->connection->is_probed() && is_own_end(how)) {
    is_older_ = true;
    start_program(of);
    return of->connection->begin_again();
  }
  mcp_connection::failure why;
  why.code = "server_died";
  why.message = "the MCP server " + name_ + " is gone: "
                + (how.code.empty() ? unasked_end(how, what_) : how.message);
  why.transient = true;
  if (of == run_) {
    run_.reset();
    ++deaths_;
    last_death_ = why;
    if (deaths_ >= deaths_max) {
      last_death_.transient = false;
      last_death_.message += "; it died " + std::to_string(deaths_)
                             + " times and is not started again";
    }
  }
  of->connection->end(std::move(why));
}

} // namespace convene::host
