#include <boost/json/serialize.hpp>
#include <convene/bindings/c/handles.hpp>
#include <convene/bindings/c/outcome.hpp>
#include <convene/bindings/c/wait_limit.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <variant>

using namespace convene::c_api;
using convene::result;

namespace {

int next_of(text_feed& from, std::int64_t timeout_ms, char** event) {
  const auto next = from.next(
    timeout_ms < 0 ? std::nullopt : std::optional{wait_limit(timeout_ms)});
  if (!next)
    return from.has_ended() ? CONVENE_ENDED : CONVENE_TIMEOUT;
  *event = text_for_caller(*next);
  return CONVENE_OK;
}

} // namespace

int convene_subscribe(convene_runtime* runtime, const char* filter,
                      convene_subscription** subscription, char** error) {
  return guarded(error, [&]() -> result<void> {
    if (runtime == nullptr || subscription == nullptr)
      return null_argument(runtime == nullptr ? "runtime" : "subscription");
    *subscription = nullptr;
    auto how = read_subscription(filter == nullptr ? "{}" : filter);
    if (!how)
      return tl::unexpected(std::move(how).error());
    auto texts = how->how.filter;
    auto made = runtime->hub->subscribe(std::move(how->how));
    if (!made)
      return tl::unexpected(std::move(made).error());
    std::shared_ptr<text_feed> feed;
    if (how->texts) {
      feed = std::make_shared<text_feed>(*made, std::move(texts));
      runtime->hub->texts().add(feed);
    }
    *subscription = new convene_subscription{*std::move(made), std::move(feed)};
    return {};
  });
}

int convene_next_event(convene_subscription* subscription, int64_t timeout_ms,
                       char** event, char** error) {
  return guarded(error, [&]() -> result<int> {
    if (subscription == nullptr || event == nullptr)
      return null_argument(subscription == nullptr ? "subscription" : "event");
    *event = nullptr;
    if (subscription->feed)
      return next_of(*subscription->feed, timeout_ms, event);
    const auto& from = subscription->events;
    const auto next = timeout_ms < 0 ? from.next()
                                     : from.next_for(wait_limit(timeout_ms));
    if (!next)
      return from.ended() ? CONVENE_ENDED : CONVENE_TIMEOUT;
    if (const auto* missed = std::get_if<convene::events_missed>(&*next))
      *event = text_for_caller(
        boost::json::serialize(boost::json::object{{"missed", missed->count}}));
    else
      *event = text_for_caller(*std::get<convene::event_delivered>(*next).line);
    return CONVENE_OK;
  });
}

void convene_subscription_free(convene_subscription* subscription) {
  delete subscription;
}
