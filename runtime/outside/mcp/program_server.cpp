#include <convene/runtime/outside/mcp/program_server.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace convene::host {
mcp_program::mcp_program(std::string name, program what,
                         std::int64_t timeout_ms, std::shared_ptr<processes> on)
  : mcp_server{std::move(name), timeout_ms}, what_{std::move(what)},
    on_{std::move(on)} {
  // nop
}

mcp_program::~mcp_program() {
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

void mcp_program::post(std::function<void()> job) {
  on_->post(std::move(job));
}

std::shared_ptr<mcp_connection>
mcp_program::current(mcp_connection::failure& why) {
  if (run_ && run_->connection->is_over()) {
    // It broke the protocol, or its beginning failed.
    run_->program->stop(close_ms);
    last_death_ = run_->connection->why_over();
    run_.reset();
    ++deaths_;
  }
  if (!run_ && deaths_ < deaths_max)
    run_ = start();
  if (!run_) {
    why = last_death_; // it died too often
    return nullptr;
  }
  return {run_, run_->connection.get()};
}

void mcp_program::start_program(const std::shared_ptr<run>& of) {
  const std::weak_ptr<run> weak = of;
  of->program = on_->start(
    what_, {.line =
              [weak, server = weak_self()](const std::string& line) {
                const auto run = weak.lock();
                if (!run)
                  return;
                run->connection->take_line(line);
                if (const auto self = server.lock();
                    self && run->connection->is_ready(mcp_era::initialized))
                  self->is_older_ = true;
              },
            .error_line =
              [name = name()](std::string_view line) {
                spdlog::info("mcp {}: {}", name, line);
              },
            .ended =
              [weak, server = weak_self()](const program_end& how) {
                const auto run = weak.lock();
                const auto self = server.lock();
                if (self && run)
                  self->take_end(run, how);
              }});
}

std::shared_ptr<mcp_program::run> mcp_program::start() {
  const auto made = std::make_shared<run>();
  const std::weak_ptr<run> weak = made;
  start_program(made);
  mcp_wire wire{.send =
                  [weak](const mcp_outgoing& what) {
                    const auto self = weak.lock();
                    return self && self->program->send(what.line);
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
                  [name = name()](std::string_view what) {
                    spdlog::warn("mcp {}: it {}", name, what);
                  }};
  made->connection = std::make_unique<mcp_connection>(name(), std::move(wire),
                                                      timeout_ms(), is_older_);
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

void mcp_program::take_end(const std::shared_ptr<run>& of,
                           const program_end& how) {
  if (of == run_ && of->connection->is_probed() && is_own_end(how)) {
    is_older_ = true;
    start_program(of);
    return of->connection->begin_again();
  }
  mcp_connection::failure why;
  why.code = "server_died";
  why.message = "the MCP server " + name() + " is gone: "
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
