#include <convene/server/run_api/answers.hpp>
#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace convene::server {
namespace {

unsigned status_of(protocol::run_refusal_code code) {
  using enum protocol::run_refusal_code;
  switch (code) {
    case validation_error:
      return 400;
    case interrupt_not_found:
      return 404;
    case interrupt_already_resolved:
    case conflict:
      return 409;
    case interrupt_cancelled:
      return 422;
    case internal_error:
      break;
  }
  return 500;
}

boost::json::object details_of(const protocol::error& why) {
  boost::json::object made;
  if (!why.rule.empty())
    made["rule"] = why.rule;
  if (!why.pointer.empty())
    made["path"] = why.pointer;
  if (!why.value.empty())
    made["value"] = why.value;
  return made;
}

void use_run(const std::shared_ptr<hosted_run>& found, const request& asked,
             const responder& to, const run_use& use) {
  if (found == nullptr)
    return to(no_run());
  if (const auto why = found->fault())
    return to(failure(*why));
  use(found, asked, to);
}

} // namespace

response openwop_error(unsigned status, std::string_view code,
                       std::string_view message, boost::json::object details) {
  return error_response(error_form::openwop, status, code, message,
                        std::move(details));
}

response no_run() {
  return openwop_error(404, "not_found",
                       "there is no run of this id; ended ones are removed "
                       "after a while if the server runs with --keep-days or "
                       "--keep-bytes");
}

response invalid(const protocol::error& why) {
  return openwop_error(400, "validation_error", why.message, details_of(why));
}

response refusal(const session::run_refusal& why, session::run_status now) {
  auto status = status_of(why.code);
  if (status == 500)
    return failure(why.what);
  if (why.what.rule == "from_seq") // a fork from beyond the log
    status = 422;
  auto details = details_of(why.what);
  if (why.code == protocol::run_refusal_code::conflict)
    details["runStatus"] = protocol::to_word(now);
  return openwop_error(status, to_word(why.code), why.what.message,
                       std::move(details));
}

response failure(const protocol::error& why) {
  if (why.rule == "runs_max" || why.rule == "runs_bytes_max"
      || why.rule.starts_with("key_runs_") || why.rule == "callbacks_max"
      || why.rule == "runs_read_max") {
    auto made = openwop_error(429, "rate_limited", why.message,
                              {{"scope", "global"}, {"retryAfterMs", 1'000}});
    made.headers.emplace_back("Retry-After", "1");
    return made;
  }
  // What exactly failed is for the log, not for who asked.
  spdlog::error("a run: {}", to_string(why));
  return openwop_error(500, "internal_error",
                       "the run cannot be read or written; the server's log "
                       "says why");
}

boost::json::object status_of(const run_outcome& made) {
  return {{"runId", made.run_id}, {"status", protocol::to_word(made.status)}};
}

void tell(const responder& to, const run_outcome& made,
          const std::function<response()>& make) {
  if (made.failure)
    to(failure(*made.failure));
  else if (made.refusal)
    to(refusal(*made.refusal, made.status));
  else
    to(make());
}

void with_run(run_host& host, std::string_view run_id, const request& asked,
              const responder& to, const run_use& use) {
  if (const auto near = host.find_near(run_id))
    return use_run(*near, asked, to, use);
  auto later = [&host, id = std::string{run_id}, asked, to, use] {
    try {
      use_run(host.find(id), asked, to, use);
    } catch (const std::exception& failed) { // so nobody answers: it is 500
      spdlog::error("{}: {}", asked.id, failed.what());
    }
  };
  if (!host.do_apart(std::move(later)))
    to(failure({.code = protocol::errc::limit_reached,
                .message = "too many runs that have ended are asked for at "
                           "once; try again",
                .rule = "runs_read_max"}));
}

handler on_run(run_host& host, run_use use) {
  return
    [&host, use = std::move(use)](const request& asked, const responder& to) {
      with_run(host, asked.parameters.at("id"), asked, to, use);
    };
}

turn_view view_of(const request& asked) {
  return turn_view{asked.by.groups};
}

std::optional<std::string> who(const request& asked) {
  return asked.by.key_id.empty() ? std::nullopt
                                 : std::optional{asked.by.key_id};
}

} // namespace convene::server
