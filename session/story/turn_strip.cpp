#include <convene/session/story/turn_strip.hpp>

#include <algorithm>
#include <string_view>

namespace convene::session {
namespace {

constexpr std::string_view by_trouble = "cxtdf";

char worse(char one, char other) {
  return by_trouble.find(one) < by_trouble.find(other) ? other : one;
}

} // namespace

void turn_strip::add(char ending) {
  if (!text_.empty() && last_ < width_) {
    text_.back() = worse(text_.back(), ending);
    ++last_;
    return;
  }
  if (text_.size() == columns_max) {
    for (std::size_t i = 0; i < columns_max / 2; ++i)
      text_[i] = worse(text_[2 * i], text_[2 * i + 1]);
    text_.resize(columns_max / 2);
    width_ *= 2;
  }
  text_ += ending;
  last_ = 1;
}

} // namespace convene::session
