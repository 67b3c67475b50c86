#include <boost/json/serialize.hpp>
#include <convene/cli/pages/deflate.hpp>
#include <convene/cli/pages/log_view.hpp>
#include <convene/cli/pages/page_file.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

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
  }
  auto& session = sessions_[place->second];
  const auto before = session.bars();
  session.add(event, events_++);
  bars_ += session.bars() - before;
  if (bars_ > limits_.bars_max)
    return limit(std::to_string(limits_.bars_max) + " bars", "view_bars_max");
  if (!block_.empty())
    block_ += '\n';
  block_ += text;
  if (block_.size() >= block_bytes)
    close_block();
  return {};
}

void log_view::close_block() {
  if (block_.empty())
    return;
  block_starts_.emplace_back(std::exchange(block_first_, events_));
  blocks_.push_back({"b" + std::to_string(blocks_.size()), deflated(block_)});
  bytes_ += blocks_.back().bytes.size();
  block_.clear();
}

html_page log_view::page(std::string_view name,
                         const std::vector<std::string>& notes) && {
  close_block();
  html_page made{.title = "convene: "
                          + protocol::sanitize_utf8(std::string{name}),
                 .style = page_file("view.css"),
                 .body = page_file("view.html"),
                 .script = "'use strict';\n(() => {\n",
                 .later = std::move(blocks_)};
  for (const auto* file :
       {"data.js", "scale.js", "draw.js", "panel.js", "view.js"})
    made.script += page_file(file);
  made.script += "})();\n";
  json::array sessions;
  for (const auto& one : sessions_) {
    made.first.push_back(
      {"s" + std::to_string(sessions.size()), deflated(one.columns())});
    sessions.push_back(one.summary());
  }
  json::array said;
  for (const auto& note : notes)
    said.emplace_back(protocol::sanitize_utf8(note));
  const json::object index{{"log", protocol::sanitize_utf8(std::string{name})},
                           {"notes", std::move(said)},
                           {"blocks", std::move(block_starts_)},
                           {"sessions", std::move(sessions)}};
  made.first.push_back({"index", deflated(json::serialize(index))});
  return made;
}

} // namespace convene::cli
