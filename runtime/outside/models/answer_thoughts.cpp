#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/models/answer_thoughts.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::host {

struct thought_filter::tag_pair {
  std::string_view open;
  std::string_view close;
};

struct thought_filter::found_tag {
  const tag_pair* which = nullptr; ///< null: none
  bool closes = false;
  bool is_partial = false; ///< the text may become one
};

namespace {

bool is_blank(std::string_view text) {
  return std::ranges::all_of(text, protocol::is_json_space);
}

} // namespace

thought_filter::found_tag thought_filter::find_tag(std::string_view text) {
  static constexpr std::array<tag_pair, 7> tags{{
    {"<think>", "</think>"},
    {"<thinking>", "</thinking>"},
    {"<thought>", "</thought>"},
    {"<reasoning>", "</reasoning>"},
    {"<seed:think>", "</seed:think>"},
    {"[THINK]", "[/THINK]"},
    {"◁think▷", "◁/think▷"},
  }};
  found_tag found;
  for (const auto& each : tags)
    for (const auto tag : {each.open, each.close}) {
      if (text.starts_with(tag))
        return {.which = &each, .closes = tag == each.close};
      found.is_partial = found.is_partial || tag.starts_with(text);
    }
  return found;
}

std::string thought_filter::feed(std::string_view piece) {
  held_ += piece;
  advance(false);
  return said_.substr(std::exchange(passed_on_, said_.size()));
}

std::string thought_filter::finish() && {
  advance(true);
  if (inside_ != nullptr && !is_sure_)
    said_.append(inside_->open).append(held_);
  return std::move(said_);
}

void thought_filter::advance(bool at_end) {
  std::size_t at = 0;
  while (at < held_.size()) {
    const auto taken = inside_ != nullptr ? take_thought(at)
                                          : take_text(at, at_end);
    if (taken == 0)
      break;
    at += taken;
  }
  held_.erase(0, at);
  searched_ -= std::min(at, searched_);
}

std::size_t thought_filter::take_thought(std::size_t at) {
  const auto& close = inside_->close;
  const auto end = held_.find(close, std::max(at, searched_));
  if (end == held_.npos) {
    searched_
      = std::max(at, held_.size() - std::min(held_.size(), close.size() - 1));
    return 0;
  }
  inside_ = nullptr;
  searched_ = 0;
  skips_blanks_ = is_blank(said_);
  return end + close.size() - at;
}

std::size_t thought_filter::take_text(std::size_t at, bool at_end) {
  const char c = held_[at];
  if (skips_blanks_ && protocol::is_json_space(c))
    return 1;
  const auto rest = std::string_view{held_}.substr(at);
  constexpr std::string_view begin_tags = "<[\xe2";
  const auto tag = begin_tags.find(c) == begin_tags.npos ? found_tag{}
                                                         : find_tag(rest);
  if (tag.is_partial && tag.which == nullptr && !at_end)
    return 0;
  if (tag.which == nullptr) {
    skips_blanks_ = false;
    say(c);
    return 1;
  }
  settle_ticks();
  const bool begins_line = said_.empty() || said_.back() == '\n';
  if (!tag.closes) {
    if (opens_thought()) {
      begin_thought(*tag.which);
      return tag.which->open.size();
    }
    speaks_of_tags_ = true;
  } else if (!in_code_ && !in_fence_ && !speaks_of_tags_) {
    const auto next = rest.substr(tag.which->close.size());
    if (next.empty() && !begins_line && !at_end)
      return 0;
    if (begins_line || next.empty() || next[0] == '\n' || next[0] == '\r') {
      said_.clear();
      passed_on_ = 0;
      thinks_in_tags_ = true;
      skips_blanks_ = true;
      return tag.which->close.size();
    }
  }
  skips_blanks_ = false;
  say(c);
  return 1;
}

bool thought_filter::opens_thought() {
  if (in_code_ || in_fence_)
    return false;
  if (is_blank(said_))
    return is_sure_ = true;
  const bool begins_line = said_.back() == '\n';
  is_sure_ = thinks_in_tags_ && begins_line;
  const bool is_quoted = said_.back() == '"' || said_.back() == '\'';
  return begins_line || (thinks_in_tags_ && !is_quoted);
}

void thought_filter::begin_thought(const tag_pair& which) {
  inside_ = &which;
  if (is_blank(said_)) {
    thinks_in_tags_ = true;
    said_.clear();
    passed_on_ = 0;
  }
}

void thought_filter::say(char c) {
  if (c == '`') {
    if (ticks_++ == 0)
      ticks_begin_line_ = line_is_blank_;
  } else {
    settle_ticks();
  }
  if (c == '\n')
    in_code_ = false;
  line_is_blank_ = c == '\n' || (line_is_blank_ && protocol::is_json_space(c));
  said_ += c;
}

/// A run of backticks is over: they begin or end code.
void thought_filter::settle_ticks() {
  constexpr std::size_t fence = 3;
  const auto ticks = std::exchange(ticks_, 0);
  if (ticks >= fence && ticks_begin_line_)
    in_fence_ = !in_fence_;
  else if (ticks > 0 && !in_fence_)
    in_code_ = !in_code_;
}

} // namespace convene::host
