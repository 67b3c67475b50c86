#include "environment.hpp"
#include "functions.hpp"
#include "promises.hpp"

#include <atomic>

namespace convene::node {
namespace {

constexpr std::int64_t slice_ms = 200; // how long a stop may take
constexpr std::size_t events_at_once = 256;

struct subscription_handle {
  convene_subscription* events = nullptr;
  std::shared_ptr<lane> reader;
  std::atomic<bool> is_closed = false;

  subscription_handle() = default;
  subscription_handle(const subscription_handle&) = delete;
  subscription_handle& operator=(const subscription_handle&) = delete;

  ~subscription_handle() {
    if (reader)
      reader->stop();
    convene_subscription_free(events);
  }
};

/// Waits for events and takes those that are there.
outcome next_of(const subscription_handle& from) {
  std::vector<std::string> found;
  while (!from.is_closed && found.size() < events_at_once) {
    char* event = nullptr;
    char* error = nullptr;
    const int code = convene_next_event(from.events,
                                        found.empty() ? slice_ms : 0, &event,
                                        &error);
    auto failed = outcome_of(code, error);
    if (code == CONVENE_OK)
      found.push_back(taken(event));
    else if (!found.empty())
      break;
    else if (code != CONVENE_TIMEOUT)
      return failed;
  }
  const int code = found.empty() ? CONVENE_ENDED : CONVENE_OK;
  return {code, std::move(found), {}};
}

} // namespace

/// (runtime, filter): a subscription.
napi_value subscribe(napi_env env, const arguments& given) {
  const auto filter = text(env, given[1]);
  const auto made = std::make_shared<subscription_handle>();
  char* error = nullptr;
  const int code
    = convene_subscribe(unwrapped<runtime_handle>(env, given[0])->runtime,
                        filter.c_str(), &made->events, &error);
  checked(code, error);
  made->reader = environment::of(env).make_lane();
  return wrapped(env, made);
}

/// (subscription): a promise of the next events, null at the end.
napi_value next_events(napi_env env, const arguments& given) {
  const auto from = unwrapped<subscription_handle>(env, given[0]);
  return promised(env, *from->reader, [from] { return next_of(*from); });
}

napi_value unsubscribe(napi_env env, const arguments& given) {
  const auto from = unwrapped<subscription_handle>(env, given[0]);
  from->is_closed = true;
  from->reader->stop();
  return undefined(env);
}

} // namespace convene::node
