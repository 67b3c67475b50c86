// The rows of a timeline: their columns, and what is below them.

#include <convene/cli/view/action_words.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/cli/view/timeline.hpp>
#include <fmt/format.h>

#include <utility>

namespace convene::cli {
namespace {

constexpr std::string_view faint = "2";

constexpr std::size_t time_columns = 10;
constexpr std::size_t turn_columns = 6;
constexpr std::size_t what_columns = 11;

} // namespace

std::string timeline::line(const row& of) const {
  const auto since = static_cast<double>(now_ - start_.value_or(now_)) / 1000.0;
  return line_at(fmt::format("{:.3f}", since), of, style_.columns) + '\n';
}

std::size_t timeline::columns_before_text() const noexcept {
  return time_columns + turn_columns + who_columns_ + what_columns + 4;
}

std::string timeline::line_at(std::string_view time, const row& of,
                              std::size_t columns) const {
  const auto painted = [this](std::string_view colour, std::string words) {
    if (!style_.colour || colour.empty())
      return words;
    return fmt::format("\x1b[{}m{}\x1b[0m", colour, words);
  };
  const auto before = columns_before_text();
  const auto left = columns > before ? columns - before : 0;
  auto all = painted(faint, fmt::format("{:>{}}", time, time_columns)) + ' ';
  all += column(of.turn > 0 ? fmt::format("#{}", of.turn) : "", turn_columns);
  all += ' ' + column(of.who, who_columns_) + ' ';
  all += painted(of.colour, column(of.what, what_columns)) + ' ';
  all += of.is_error && style_.whole_errors ? neutral(of.text)
                                            : fit(of.text, left);
  all.erase(all.find_last_not_of(' ') + 1);
  return all;
}

std::size_t timeline::text_columns() const noexcept {
  constexpr std::size_t least = 20;
  const auto before = columns_before_text();
  return style_.columns > before + least ? style_.columns - before : least;
}

std::string timeline::said(std::string_view who, std::string_view words) const {
  return line_at({},
                 {.who = std::string{who},
                  .what = "says",
                  .text = std::string{words},
                  .colour = faint},
                 style_.columns)
         + '\n';
}

std::string timeline::at_work(const worker& who, std::size_t columns) const {
  return line_at(fmt::format("{} s", who.seconds),
                 {.who = who.name,
                  .what = who.says.empty() ? "works" : "says",
                  .text = who.says.empty() ? who.does : who.says,
                  .colour = faint},
                 columns);
}

/// `words` below a row, in `rows_max` rows at most.
std::string timeline::details(std::string_view what, const std::string& words,
                              std::size_t rows_max) const {
  const auto columns = text_columns();
  // Nothing beyond can show.
  const auto safe
    = neutral(std::string_view{words}.substr(0, (columns + 1) * rows_max * 4));
  std::string all;
  std::string_view rest = safe;
  for (std::size_t n = 1; !rest.empty() && n <= rows_max; ++n) {
    const auto row = n == rows_max ? std::exchange(rest, {})
                                   : cut_row(rest, columns);
    all += line_at({},
                   {.what = n == 1 ? std::string{what} : "",
                    .text = std::string{row},
                    .colour = faint},
                   style_.columns)
           + '\n';
  }
  return all;
}

/// What failed more than once, or did not fit into its line: the most frequent
/// first, and that in full.
std::string timeline::failure_lines() const {
  constexpr std::size_t shown_max = 5;
  constexpr std::size_t names_shown = 5;
  constexpr std::size_t whole_rows_max = 40;
  auto groups = failures_.groups();
  std::erase_if(groups, [&](const auto& each) {
    return each.count == 1
           && (style_.whole_errors
               || (each.message.find('\n') == each.message.npos
                   && width(neutral(each.message)) <= text_columns()));
  });
  std::string all;
  for (std::size_t i = 0; i < groups.size() && i < shown_max; ++i) {
    const auto& each = groups[i];
    auto words = fmt::format("{} (", each.count == 1
                                       ? "once"
                                       : fmt::format("{} times", each.count));
    const auto& who = each.participants;
    for (std::size_t n = 0; n < who.size() && n < names_shown; ++n)
      words += (n == 0 ? "" : ", ") + who[n];
    words += who.size() > names_shown ? ", ...): " : "): ";
    words += i == 0 ? each.message : first_line(each.message);
    if (i == 0) // whole, in rows of its own
      all += details("failed", words, whole_rows_max);
    else
      all += line_at({}, {.what = "failed", .text = words, .colour = faint},
                     style_.columns)
             + '\n';
  }
  if (groups.size() > shown_max)
    all += details("", fmt::format("and {} other messages",
                                   groups.size() - shown_max));
  return all;
}

} // namespace convene::cli
