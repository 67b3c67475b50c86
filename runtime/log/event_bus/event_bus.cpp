#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/checks/event_shape.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_bus/event_bus.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

namespace {

/// Whether the filter selects the line, as far as that shows without parsing
/// it; nothing: it does not. Most events are of no type that is asked for.
std::optional<bool> selects_at_once(const event_filter& filter,
                                    std::string_view line) {
  if (filter.session && session_of(line) != *filter.session)
    return false;
  const bool by_type_alone = filter.families.empty()
                             && filter.participants.empty() && !filter.from
                             && !filter.to && !filter.first_turn
                             && !filter.last_turn;
  if (filter.types.empty())
    return by_type_alone ? std::optional{true} : std::nullopt;
  const auto type = type_at_once(line);
  if (type && std::ranges::find(filter.types, *type) == filter.types.end())
    return false;
  return type && by_type_alone ? std::optional{true} : std::nullopt;
}

} // namespace

result<subscription>
event_bus::subscribe(subscription_options how,
                     const std::function<place()>& appended) {
  for (const auto& family : how.filter.families)
    if (!is_known_event_family(family))
      return fail({.code = errc::usage,
                   .message = "no event is of this family",
                   .rule = "event_family",
                   .value = shorten(family)});
  if (how.behind == when_behind::wait && how.events_max == 0)
    return fail(errc::usage, "sessions would wait for ever: events_max is 0",
                "events_max");
  auto made = std::make_shared<subscriber>(std::move(how));
  const std::lock_guard held{mutex_};
  forget_ended();
  if (end_) {
    made->end(*end_);
    return subscription{std::move(made)};
  }
  if (all_.size() == subscriptions_max)
    return fail(errc::limit_reached,
                "a runtime has at most " + std::to_string(subscriptions_max)
                  + " subscriptions",
                "subscriptions_max");
  // Whoever appends after this place sees that the bus is active.
  if (!active_.exchange(true)) {
    waiting_.clear();
    refused_.clear();
    next_ = appended();
  }
  all_.push_back(made);
  waits_ = waits_ || made->is_waited_for();
  // Who waits for room holds it, too: the last copy to go has to end it.
  auto* const queue = made.get();
  return subscription{{queue, [made = std::move(made)](subscriber* of) {
                         of->end(subscription_end::cancelled);
                       }}};
}

void event_bus::forget_ended() {
  std::erase_if(all_, [](const std::weak_ptr<subscriber>& each) {
    const auto one = each.lock();
    return !one || one->is_closed();
  });
  if (all_.empty()) {
    active_ = false;
    waiting_.clear();
    refused_.clear();
  }
}

std::vector<std::shared_ptr<subscriber>> event_bus::subscribers() const {
  std::vector<std::shared_ptr<subscriber>> found;
  const std::lock_guard held{mutex_};
  for (const auto& each : all_)
    if (auto one = each.lock())
      found.push_back(std::move(one));
  return found;
}

void event_bus::wait_for_room() {
  if (!waits_)
    return;
  for (const auto& each : subscribers())
    if (each->is_waited_for())
      each->wait_for_room();
}

void event_bus::appended(std::string_view lines, place begin, place end) {
  if (lines.empty())
    return;
  // What is for whom is found out here, on the session's thread: the one that
  // acknowledges serves all sessions.
  const auto all = subscribers();
  waiting made{.begin = begin, .end = end};
  while (!lines.empty()) {
    auto line = cut_line(lines);
    routed one{.number = ++made.count};
    std::optional<result<json::value>> event;
    for (const auto& each : all) {
      const auto& filter = each->filter();
      auto selected = selects_at_once(filter, line);
      if (!selected) {
        if (!event)
          event = parse_json(line);
        selected = *event && (*event)->is_object()
                   && filter.matches((*event)->get_object());
      }
      if (*selected)
        one.to.push_back(each);
    }
    if (one.to.empty())
      continue;
    one.line = std::make_shared<const std::string>(line);
    made.events.push_back(std::move(one));
  }
  const std::lock_guard held{mutex_};
  if (all.empty())
    forget_ended(); // nothing is pushed to those that are gone
  if (!active_ || begin < next_)
    return;
  for (const auto& part : refused_)
    drop(made, part);
  const auto after = std::ranges::upper_bound(waiting_, begin, {},
                                              &waiting::begin);
  waiting_.insert(after, std::move(made));
  deliver();
}

void event_bus::drop(waiting& which, const refused_part& part) {
  if (which.begin < part.begin || which.end > part.end)
    return;
  which.count = 0;
  which.events.clear();
}

void event_bus::refused(place begin, place end) {
  const std::lock_guard held{mutex_};
  if (!is_active() || end <= next_)
    return;
  refused_.push_back({begin, end});
  for (auto& each : waiting_)
    drop(each, refused_.back());
}

void event_bus::kept(place until) {
  if (!is_active())
    return;
  const std::lock_guard held{mutex_};
  kept_ = std::max(kept_, until);
  deliver();
}

/// Those that follow on one another: what an append is about to bring keeps
/// later ones waiting.
void event_bus::deliver() {
  bool any_ended = false;
  while (!waiting_.empty() && waiting_.front().begin == next_
         && waiting_.front().end <= kept_) {
    for (const auto& event : waiting_.front().events)
      for (const auto& to : event.to)
        any_ended = !to->push({count_ + event.number, event.line}) || any_ended;
    count_ += waiting_.front().count;
    next_ = waiting_.front().end;
    waiting_.pop_front();
  }
  while (!refused_.empty() && refused_.front().end <= next_)
    refused_.pop_front();
  if (any_ended)
    forget_ended();
}

void event_bus::end(subscription_end why) {
  const std::lock_guard held{mutex_};
  if (end_)
    return;
  end_ = why;
  for (const auto& each : all_)
    if (const auto one = each.lock())
      one->end(why);
  all_.clear();
  waiting_.clear();
  active_ = false;
}

} // namespace convene::host
