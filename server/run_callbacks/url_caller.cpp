#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/signature.hpp>
#include <convene/server/run_callbacks/url_caller.hpp>

#include <utility>

namespace convene::server {
namespace {

constexpr std::int64_t call_timeout_ms = 30'000;
constexpr std::size_t callback_answer_bytes_max = std::size_t{64}
                                                  << 10; // which is not read

} // namespace

url_caller::url_caller(host::permissions allow, std::string secret)
  : allow_{std::move(allow)}, secret_{std::move(secret)} {
  if (!allow_.reaches_any())
    return;
  client_ = std::make_unique<host::http_client>(host::http_options{
    .may_connect =
      [allow = allow_](const host::http_peer& to) {
        const auto where = host::endpoint_of(to.host, to.port);
        return to.is_public ? allow.may_reach(where) : allow.is_named(where);
      },
    .calls_max = calls_at_once});
}

protocol::result<void> url_caller::check(std::string_view url) const {
  using protocol::errc;
  if (url.size() > url_bytes_max)
    return protocol::fail(errc::limit_reached,
                          "a callback's URL has at most "
                            + std::to_string(url_bytes_max) + " bytes",
                          "callback_url_bytes_max");
  const auto origin = host::origin_of(url);
  if (!origin)
    return protocol::fail(origin.error());
  const host::need wanted{.what = host::need::kind::net,
                          .where = host::endpoint_of(origin->host,
                                                     origin->port)};
  if (allow_.check({wanted}))
    return {};
  return protocol::fail(errc::activation_refused,
                        "this server may not reach that host; to allow it, "
                        "start the server with "
                          + flag_for(wanted),
                        "permission_needed");
}

void url_caller::start(host::http_request what,
                       std::function<void(host::http_answer)> then) {
  if (client_ == nullptr)
    return;
  what.timeout_ms = call_timeout_ms;
  what.body_bytes_max = callback_answer_bytes_max;
  if (!secret_.empty())
    host::add_signature(what, secret_);
  client_->start(std::move(what), std::move(then));
}

void url_caller::stop() {
  client_.reset();
}

std::vector<std::chrono::milliseconds> pauses_between_calls() {
  using namespace std::chrono_literals;
  return {1s, 4s, 16s, 64s, 256s, 1024s, 1h, 1h, 1h};
}

bool is_worth_another(const host::http_answer& what) {
  // The client is full of calls to others, which end.
  return what.error.transient || what.error.code == "http_calls_max";
}

std::string named_by_host(const std::string& url) {
  const auto origin = host::origin_of(url);
  return origin ? to_string(*origin) : "an invalid URL";
}

std::string reason_of(const host::http_answer& what) {
  return what.error.code
         + (what.status == 0 ? "" : " (" + std::to_string(what.status) + ")");
}

} // namespace convene::server
