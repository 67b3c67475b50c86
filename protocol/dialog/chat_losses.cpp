#include <convene/protocol/dialog/chat_losses.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>

namespace convene::protocol {

void chat_losses::count(counts& in, std::string_view kind) {
  auto name = shorten(kind);
  auto found = std::ranges::find(in, name, &counts::value_type::first);
  if (found == in.end() && in.size() >= kinds_max) {
    name = "others";
    found = std::ranges::find(in, name, &counts::value_type::first);
  }
  if (found == in.end())
    in.emplace_back(std::move(name), 1);
  else
    ++found->second;
}

std::string chat_losses::summary() const {
  std::string line;
  const auto begin_part = [&line](std::string_view title) {
    line += line.empty() ? "" : "; ";
    line += title;
  };
  const auto add = [&](std::string_view title, const counts& all) {
    if (all.empty())
      return;
    begin_part(title);
    for (char separator = ':'; const auto& [kind, number] : all) {
      line += std::exchange(separator, ',');
      line += ' ' + kind + " (" + std::to_string(number) + ')';
    }
  };
  if (chats_ > 1)
    begin_part(std::to_string(chats_) + " chats joined into one dialog");
  add("kept as text", as_text_);
  add("not kept", left_out_);
  return line;
}

} // namespace convene::protocol
