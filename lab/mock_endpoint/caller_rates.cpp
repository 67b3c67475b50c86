#include <convene/lab/mock_endpoint/caller_rates.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

using host::mock::wire_form;
using protocol::token_bucket;

/// "6m0s", "1.5s", "20ms": as OpenAI writes times.
std::string short_time(std::chrono::milliseconds time) {
  const auto ms = time.count();
  if (ms < 1'000)
    return fmt::format("{}ms", ms);
  const auto rest = ms % 60'000;
  const auto seconds = rest % 1'000 == 0
                         ? fmt::format("{}s", rest / 1'000)
                         : fmt::format("{}.{:03}s", rest / 1'000, rest % 1'000);
  return ms < 60'000 ? seconds : fmt::format("{}m{}", ms / 60'000, seconds);
}

void add_headers(caller_rates::headers& to, wire_form form,
                 std::string_view what, std::int64_t per_minute,
                 const token_bucket& of, std::int64_t wall_ms) {
  if (per_minute == 0)
    return;
  const auto full = of.until(static_cast<double>(per_minute));
  const auto add = [&](std::string_view member, std::string value) {
    to.emplace_back(form == wire_form::openai
                      ? fmt::format("x-ratelimit-{}-{}", member, what)
                      : fmt::format("anthropic-ratelimit-{}-{}", what, member),
                    std::move(value));
  };
  add("limit", std::to_string(per_minute));
  add("remaining", std::to_string(of.remaining()));
  add("reset", form == wire_form::openai
                 ? short_time(full)
                 : protocol::format_timestamp(wall_ms + full.count()));
}

token_bucket bucket_of(std::int64_t per_minute) {
  const auto tokens = static_cast<double>(per_minute);
  return {tokens, tokens, std::chrono::minutes{1}};
}

} // namespace

caller_rates::account&
caller_rates::account_of(const host::mock::rate_limits& limits,
                         std::string_view model, std::string_view caller) {
  auto name = fmt::format("{}\n{}", model, caller);
  auto found = accounts_.find(name);
  if (found != accounts_.end())
    return found->second;
  // Of the profile's model: a caller can ask for any number of names.
  if (accounts_.size() >= callers_max)
    name = fmt::format("\n{}", static_cast<const void*>(&limits));
  return accounts_
    .try_emplace(std::move(name), account{bucket_of(limits.requests_per_minute),
                                          bucket_of(limits.tokens_per_minute)})
    .first->second;
}

caller_rates::verdict
caller_rates::take(const host::mock::rate_limits& limits, wire_form form,
                   std::string_view model, std::string_view caller,
                   std::int64_t tokens, time now, std::int64_t wall_ms) {
  verdict out;
  if (limits.requests_per_minute == 0 && limits.tokens_per_minute == 0)
    return out;
  const std::scoped_lock lock{mutex_};
  auto& [requests, spent] = account_of(limits, model, caller);
  requests.fill(now);
  spent.fill(now);
  // A prompt beyond the whole bucket is taken from a full one.
  const auto wanted
    = static_cast<double>(std::min(tokens, limits.tokens_per_minute));
  if (limits.requests_per_minute != 0 && !requests.has(1)) {
    out.exceeded = "requests";
    out.wait = requests.until(1);
  } else if (limits.tokens_per_minute != 0 && !spent.has(wanted)) {
    out.exceeded = "tokens";
    out.wait = spent.until(wanted);
  } else {
    requests.take(1);
    spent.take(static_cast<double>(tokens));
  }
  out.is_taken = out.exceeded.empty();
  add_headers(out.told, form, "requests", limits.requests_per_minute, requests,
              wall_ms);
  add_headers(out.told, form, "tokens", limits.tokens_per_minute, spent,
              wall_ms);
  if (out.is_taken)
    return out;
  out.told.emplace_back("retry-after",
                        std::to_string((out.wait.count() + 999) / 1'000));
  if (form == wire_form::openai)
    out.told.emplace_back("retry-after-ms", std::to_string(out.wait.count()));
  return out;
}

void caller_rates::spend(const host::mock::rate_limits& limits,
                         std::string_view model, std::string_view caller,
                         std::int64_t tokens) {
  if (limits.tokens_per_minute == 0)
    return;
  const std::scoped_lock lock{mutex_};
  account_of(limits, model, caller).tokens.take(static_cast<double>(tokens));
}

} // namespace convene::server
