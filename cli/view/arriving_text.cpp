#include <convene/cli/view/arriving_text.hpp>
#include <convene/cli/view/text.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convene::cli {
namespace {

bool is_blank(std::string_view row) {
  return row.find_first_not_of(' ') == row.npos;
}

} // namespace

void arriving_text::add(std::string_view session, std::string_view who,
                        std::string_view text) {
  const std::lock_guard held{mutex_};
  waiting_.add(session, who, text);
}

std::vector<text_piece> arriving_text::take() {
  const std::lock_guard held{mutex_};
  auto pieces = waiting_.take();
  if (auto dropped = waiting_.take_dropped())
    pieces.push_back(*std::move(dropped));
  return pieces;
}

std::vector<std::string> spoken_rows::add(const text_piece& what,
                                          std::size_t columns) {
  std::vector<std::string> rows;
  auto& row = begun_[what.who];
  const auto end_row = [&] {
    if (!is_blank(row))
      rows.push_back(row);
    row.clear();
  };
  if (what.dropped > 0) {
    end_row();
    rows.push_back(fmt::format("… {} bytes not shown", what.dropped));
  }
  for (std::string_view rest = what.text; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    row += neutral(rest.substr(0, end));
    const bool ends = end < rest.size();
    rest.remove_prefix(ends ? end + 1 : end);
    auto left = std::string_view{row};
    while (width(left) > columns)
      if (const auto cut = cut_row(left, columns); !is_blank(cut))
        rows.emplace_back(cut);
    row = std::string{left};
    if (ends)
      end_row();
  }
  return rows;
}

std::string_view spoken_rows::begun(std::string_view who) const {
  const auto found = begun_.find(who);
  return found == begun_.end() || is_blank(found->second)
           ? std::string_view{}
           : std::string_view{found->second};
}

std::string spoken_rows::end(std::string_view who) {
  const auto found = begun_.find(who);
  if (found == begun_.end())
    return {};
  auto row = std::move(found->second);
  begun_.erase(found);
  return is_blank(row) ? std::string{} : row;
}

} // namespace convene::cli
