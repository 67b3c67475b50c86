#include <boost/json/serialize.hpp>
#include <convene/bindings/c/text_feeds.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace convene::c_api {
namespace {

constexpr std::size_t items_max = 10'000;
constexpr std::size_t bytes_max = std::size_t{64} << 20;

std::string missed_item(std::uint64_t count) {
  return boost::json::serialize(boost::json::object{{"missed", count}});
}

} // namespace

text_feed::text_feed(subscription events, host::event_filter texts)
  : events_{std::move(events)}, texts_{std::move(texts)}, thread_{[this] {
      follow();
    }} {
  // nop
}

text_feed::~text_feed() {
  events_.cancel();
  thread_.join();
}

void text_feed::follow() {
  while (const auto next = events_.next()) {
    if (const auto* missed = std::get_if<events_missed>(&*next))
      push(missed_item(missed->count), missed->count);
    else
      push(*std::get<event_delivered>(*next).line, 1);
  }
  const std::lock_guard held{mutex_};
  has_ended_ = true;
  news_.notify_all();
}

void text_feed::push(const std::string& item, std::uint64_t counts_as) {
  const std::lock_guard held{mutex_};
  if (missed_ != 0 || waiting_.size() >= items_max
      || bytes_ + item.size() > bytes_max) {
    missed_ += counts_as;
    return;
  }
  bytes_ += item.size();
  waiting_.push_back(item);
  news_.notify_one();
}

void text_feed::say(const protocol::uuid& session, std::string_view participant,
                    const std::string& text) {
  const auto& who = texts_.participants;
  if ((texts_.session && *texts_.session != session)
      || (!who.empty() && std::ranges::find(who, participant) == who.end()))
    return;
  push(text, 1);
}

std::optional<std::string>
text_feed::next(std::optional<std::chrono::milliseconds> limit) {
  std::unique_lock held{mutex_};
  const auto is_there = [this] { return has_items() || has_ended_; };
  if (limit)
    news_.wait_for(held, *limit, is_there);
  else
    news_.wait(held, is_there);
  if (!has_items())
    return std::nullopt;
  if (waiting_.empty())
    return missed_item(std::exchange(missed_, 0));
  auto found = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= found.size();
  return found;
}

bool text_feed::has_ended() {
  const std::lock_guard held{mutex_};
  return has_ended_ && !has_items();
}

void text_feeds::add(const std::shared_ptr<text_feed>& one) {
  const std::lock_guard held{mutex_};
  std::erase_if(all_, [](const auto& each) { return each.expired(); });
  all_.push_back(one);
}

void text_feeds::say(std::string_view session, std::string_view participant,
                     std::string_view text) {
  std::vector<std::shared_ptr<text_feed>> to;
  {
    const std::lock_guard held{mutex_};
    for (const auto& each : all_)
      if (auto one = each.lock())
        to.push_back(std::move(one));
  }
  const auto id = protocol::parse_uuid(session);
  if (to.empty() || !id)
    return;
  const auto item = boost::json::serialize(
    boost::json::object{{"text",
                         {{"session_id", session},
                          {"participant_id", participant},
                          {"content", text}}}});
  for (const auto& each : to)
    each->say(*id, participant, item);
}

} // namespace convene::c_api
