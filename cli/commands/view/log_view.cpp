#include <boost/json/serialize.hpp>
#include <convene/cli/commands/view/log_view.hpp>
#include <convene/cli/commands/view/view_source.hpp>
#include <convene/cli/pages/deflate.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/story/story_json.hpp>

#include <algorithm>
#include <utility>

namespace convene::cli {
namespace {

/// Text of events that is inflated at once, when one of them is opened.
constexpr std::size_t block_bytes = std::size_t{512} << 10U;

} // namespace

protocol::result<void> log_view::add(const json::object& event,
                                     std::string_view text) {
  const auto limit = [](std::string what, const char* rule) {
    return protocol::fail(protocol::errc::limit_reached,
                          "a page cannot have over " + std::move(what), rule);
  };
  if (events_ == limits_.events_max)
    return limit(std::to_string(limits_.events_max) + " events",
                 "view_events_max");
  if (bytes_ > limits_.bytes_max)
    return limit(std::to_string(limits_.bytes_max) + " bytes of events",
                 "view_bytes_max");
  const auto id = protocol::text_of(event, "session_id");
  auto place = places_.find(id);
  if (place == places_.end()) {
    if (sessions_.size() == limits_.sessions_max)
      return limit(std::to_string(limits_.sessions_max) + " sessions",
                   "view_sessions_max");
    place = places_.emplace(id, sessions_.size()).first;
    sessions_.emplace_back(id);
    stories_.emplace_back(id);
    likeness_.resize(is_compared_ ? sessions_.size() : 0);
  }
  if (is_compared_)
    likeness_[place->second].add(event);
  stories_[place->second].add(event);
  auto& session = sessions_[place->second];
  const auto before = session.bars();
  session.add(event, events_++);
  bars_ += session.bars() - before;
  if (bars_ > limits_.bars_max)
    return limit(std::to_string(limits_.bars_max) + " bars", "view_bars_max");
  if (!block_.empty())
    block_ += '\n';
  block_ += text;
  return block_.size() >= block_bytes ? close_block()
                                      : protocol::result<void>{};
}

protocol::result<void> log_view::close_block() {
  if (block_.empty())
    return {};
  const page_block made{"b" + std::to_string(block_starts_.size()),
                        deflated(block_)};
  block_starts_.emplace_back(std::exchange(block_first_, events_));
  bytes_ += made.bytes.size();
  block_.clear();
  return blocks_.write(block_html(made));
}

std::vector<compared_sessions> log_view::compared() const {
  if (!is_compared_ || !other_first_)
    return {};
  std::map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < *other_first_; ++i)
    first.emplace(sessions_[i].id(), i);
  std::vector<compared_sessions> pairs;
  std::vector<std::size_t> others;
  for (auto i = *other_first_; i < sessions_.size(); ++i)
    if (const auto same = first.extract(sessions_[i].id()); !same.empty())
      pairs.push_back({.one = same.mapped(), .other = i});
    else
      others.push_back(i);
  std::vector<std::size_t> left;
  left.reserve(first.size());
  for (const auto& [id, place] : first)
    left.push_back(place);
  std::ranges::sort(left);
  for (std::size_t i = 0; i < std::min(left.size(), others.size()); ++i)
    pairs.push_back({.one = left[i], .other = others[i]});
  std::ranges::sort(pairs, {}, &compared_sessions::one);
  for (auto& pair : pairs) {
    const auto& one = likeness_[pair.one];
    const auto& other = likeness_[pair.other];
    pair.differs_at = event_likeness::first_difference(one, other);
    pair.is_set_up_alike = event_likeness::are_set_up_alike(one, other);
  }
  return pairs;
}

protocol::result<void>
view_page::read(const host::spool::piece_taker& take) const {
  take(html.before);
  auto done = events.read(take);
  take(html.after);
  return done;
}

protocol::result<view_page>
log_view::page(const std::vector<std::string>& names,
               const std::vector<std::string>& notes) && {
  if (auto closed = close_block(); !closed)
    return protocol::fail(std::move(closed).error());
  std::string title = "convene";
  json::array logs;
  for (const auto& name : names) {
    title += (logs.empty() ? ": " : " and ") + protocol::sanitize_utf8(name);
    logs.emplace_back(protocol::sanitize_utf8(name));
  }
  html_page made{.title = std::move(title),
                 .source = is_compared_           ? view_compare_source()
                           : sessions_.size() > 1 ? view_list_source()
                                                  : view_source()};
  json::array sessions;
  for (const auto& one : sessions_) {
    made.first.push_back(
      {"s" + std::to_string(sessions.size()), deflated(one.columns())});
    made.first.push_back({"t" + std::to_string(sessions.size()),
                          deflated(json::serialize(
                            session::story_json(stories_[sessions.size()])))});
    auto summary = one.summary();
    summary["log"]
      = sessions.size() >= other_first_.value_or(sessions_.size()) ? 1 : 0;
    sessions.push_back(std::move(summary));
  }
  json::array pairs;
  for (const auto& pair : compared())
    pairs.push_back(json::array{pair.one, pair.other,
                                pair.differs_at ? json::value(*pair.differs_at)
                                                : json::value(),
                                pair.is_set_up_alike});
  json::array said;
  for (const auto& note : notes)
    said.emplace_back(protocol::sanitize_utf8(note));
  const json::object index{{"logs", std::move(logs)},
                           {"pairs", std::move(pairs)},
                           {"notes", std::move(said)},
                           {"blocks", std::move(block_starts_)},
                           {"sessions", std::move(sessions)}};
  made.first.push_back({"index", deflated(json::serialize(index))});
  return view_page{to_html_halves(made), std::move(blocks_)};
}

} // namespace convene::cli
