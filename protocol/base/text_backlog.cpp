#include <convene/protocol/base/text_backlog.hpp>

#include <utility>

namespace convene::protocol {

bool text_backlog::add(std::string_view place, std::string_view who,
                       std::string_view text) {
  const bool joins = how_ == pieces::joined && dropped_.dropped == 0
                     && !pieces_.empty() && pieces_.back().who == who
                     && pieces_.back().place == place;
  const auto bytes = text.size() + (joins ? 0 : sizeof(text_piece));
  if (bytes_ + bytes > bytes_max) {
    dropped_ = {.place = std::string{place},
                .who = std::string{who},
                .dropped = dropped_.dropped + text.size()};
    return false;
  }
  bytes_ += bytes;
  if (joins)
    pieces_.back().text += text;
  else
    pieces_.push_back({.place = std::string{place},
                       .who = std::string{who},
                       .text = std::string{text},
                       .dropped = std::exchange(dropped_.dropped, 0)});
  return true;
}

std::vector<text_piece> text_backlog::take() {
  bytes_ = 0;
  return std::exchange(pieces_, {});
}

std::optional<text_piece> text_backlog::take_dropped() {
  if (dropped_.dropped == 0)
    return std::nullopt;
  return std::exchange(dropped_, {});
}

} // namespace convene::protocol
