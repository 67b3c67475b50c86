#include <convene/cli/commands/explain/story_text.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/story/stop_words.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace convene::cli {
namespace {

using session::first_told;
using session::participant_story;
using session::session_facts;
using session::session_story;
using session::stop_words;

using participant_item = std::pair<const std::string, participant_story>;

// Of the terminal, as SGR.
constexpr std::string_view bold = "1";
constexpr std::string_view red = "31";
constexpr std::string_view green = "32";

constexpr std::size_t title_columns = 100;
constexpr std::size_t name_columns = 40;

std::string shown(std::string_view text, std::size_t columns = name_columns) {
  return fit(neutral(text.substr(0, columns * 8)), columns);
}

std::string seconds(std::int64_t ms) {
  return fmt::format("{:.3f} s", static_cast<double>(ms) / 1000.0);
}

std::string times(std::uint64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

class story_writer {
public:
  story_writer(const session_story& of, bool in_color)
    : of_(of), facts_(of.facts()), in_color_(in_color) {
    // nop
  }

  std::string write() && {
    heading();
    participants();
    happenings();
    waits();
    conflicts();
    handoffs();
    failures();
    ending();
    findings();
    return std::move(text_);
  }

private:
  void line(std::string_view words) {
    text_ += fmt::format("  {}\n", words);
  }

  [[nodiscard]] std::string painted(std::string_view color,
                                    std::string_view words) const {
    return in_color_ ? fmt::format("\x1b[{}m{}\x1b[0m", color, words)
                     : std::string{words};
  }

  void section(std::string_view title) {
    text_ += fmt::format("\n{}\n", painted(bold, title));
  }

  void line_at(protocol::timestamp_ms at, std::string_view words) {
    line(fmt::format("{:>10}  {}", seconds(at - facts_.started.value_or(at)),
                     words));
  }

  template <class List>
  void rest_of(const List& list) {
    if (list.total > list.first.size())
      line(fmt::format("and {} more", list.total - list.first.size()));
  }

  void heading() {
    const auto& f = facts_;
    text_ += painted(bold, f.title.empty() ? "Session " + shown(f.session_id)
                                           : shown(f.title, title_columns));
    text_ += '\n';
    line(fmt::format("Session {}, {}{}.", shown(f.session_id),
                     f.mode.empty() ? "of a mode that the log does not say"
                                    : shown(f.mode),
                     f.policy.empty() || f.policy == f.mode
                       ? ""
                       : " (policy " + shown(f.policy) + ")"));
    if (!f.purpose.empty())
      line("Its purpose: " + shown(f.purpose, title_columns));
    if (!f.has_beginning)
      line("The log does not have its beginning.");
    if (f.started)
      line(fmt::format("It began at {} and took {}: {}, {}, {}, {}, {}.",
                       protocol::format_timestamp(*f.started),
                       seconds(f.last - *f.started), plural(f.turns, "turn"),
                       plural(f.broadcasts, "broadcast"),
                       plural(f.decisions, "decision"),
                       plural(f.writes, "write"), plural(f.actions, "action")));
  }

  /// Those with the most to do first.
  [[nodiscard]] std::vector<const participant_item*> busiest() const {
    std::vector<const participant_item*> all;
    for (const auto& one : facts_.participants)
      all.push_back(&one);
    std::ranges::stable_sort(all, std::ranges::greater{},
                             [](const auto* one) { return one->second.asked; });
    all.resize(std::min(all.size(), first_told));
    return all;
  }

  void participants() {
    if (facts_.participants.empty())
      return;
    section("Who took part");
    for (const auto* one : busiest()) {
      const auto& [id, who] = *one;
      auto words = shown(id);
      if (!who.role.empty())
        words += fmt::format(
          " ({}{})", shown(who.role_name.empty() ? who.role : who.role_name),
          who.kind == "human" ? ", a person" : "");
      if (who.asked != 0)
        words += " was asked " + times(who.asked);
      else if (who.decisions == 0 && who.votes == 0)
        words += " was not asked";
      std::string ends;
      for (const auto& [status, count] : who.answers)
        ends += fmt::format("{}{} {}", ends.empty() ? ": " : ", ", count,
                            shown(status));
      words += ends;
      auto glue = who.asked == 0 ? " " : "; ";
      for (const auto& [did, count] :
           {std::pair{"decided", who.decisions}, {"voted", who.votes}})
        if (count != 0)
          words += std::exchange(glue, "; ")
                   + fmt::format("{} {}", did, times(count));
      if (who.writes != 0)
        words += "; " + plural(who.writes, "write");
      line(words + '.');
    }
    if (facts_.participants.size() > first_told)
      line(fmt::format("and {} more", facts_.participants.size() - first_told));
  }

  void happenings() {
    if (facts_.happenings == 0)
      return;
    section("What happened");
    for (const auto& one : facts_.first)
      line_at(one.at, one.words);
    const auto hidden = facts_.happenings - facts_.first.size()
                        - facts_.last_ones.size();
    if (hidden != 0)
      line(fmt::format("{:>10}  {} more", "...", hidden));
    for (const auto& one : facts_.last_ones)
      line_at(one.at, one.words);
  }

  void waits() {
    const participant_item* longest = nullptr;
    std::vector<const participant_item*> people;
    for (const auto& one : facts_.participants) {
      if (one.second.kind == "human" && one.second.asked != 0)
        people.push_back(&one);
      else if (one.second.longest_ms
               > (longest == nullptr ? 0 : longest->second.longest_ms))
        longest = &one;
    }
    if (people.empty() && longest == nullptr)
      return;
    section("Who was waited for");
    for (std::size_t i = 0; i < std::min(people.size(), first_told); ++i) {
      const auto& [id, who] = *people[i];
      line(fmt::format(
        "{}, a person, was waited for {}, {} in all, {} at most.", shown(id),
        times(who.asked), seconds(who.busy_ms), seconds(who.longest_ms)));
    }
    if (longest != nullptr)
      line(fmt::format("Of the others, {} took longest: {} for one answer, {} "
                       "in all.",
                       shown(longest->first),
                       seconds(longest->second.longest_ms),
                       seconds(longest->second.busy_ms)));
  }

  void conflicts() {
    if (facts_.conflicts.total == 0)
      return;
    section("Conflicts");
    for (const auto& one : facts_.conflicts.first) {
      std::string sides;
      for (const auto& side : one.sides)
        sides += (sides.empty() ? "" : " and ") + shown(side);
      auto words = fmt::format("{} on {} ({})", sides, one.resource,
                               shown(one.type));
      const auto why = shown(one.reason, title_columns);
      if (!one.is_settled)
        words += ": not settled";
      else if (one.strategy == "reject") // what comes first is in the wrong
        words += fmt::format(": {} was refused: {}",
                             one.sides.empty() ? "it" : shown(one.sides[0]),
                             why);
      else
        words += fmt::format(": settled by {}{}: {}", shown(one.strategy),
                             one.winner.empty() ? ""
                                                : " for " + shown(one.winner),
                             why);
      std::string votes;
      for (const auto& vote : one.votes)
        votes += (votes.empty() ? " (" : ", ") + vote;
      line_at(one.at, words + votes + (votes.empty() ? "." : ")."));
    }
    rest_of(facts_.conflicts);
  }

  void handoffs() {
    if (facts_.handoffs.total == 0)
      return;
    section("Handoffs");
    for (const auto& one : facts_.handoffs.first)
      line_at(one.at,
              fmt::format("{} to {}{}; {}.", shown(one.from), shown(one.to),
                          one.instructions.empty()
                            ? ""
                            : ": \"" + shown(one.instructions, title_columns)
                                + '"',
                          one.turn ? fmt::format("begun in turn {}", *one.turn)
                                   : std::string{"never begun"}));
    rest_of(facts_.handoffs);
  }

  void failures() {
    if (facts_.failures.total == 0)
      return;
    section("Failures");
    for (const auto& one : facts_.failures.first)
      line_at(one.at, painted(red, one.times == 1
                                     ? one.words
                                     : fmt::format("{} (and {} more like it)",
                                                   one.words, one.times - 1)));
    auto others = facts_.failures.total;
    for (const auto& one : facts_.failures.first)
      others -= one.times;
    if (others > 0)
      line(fmt::format("and {} others", others));
  }

  void ending() {
    section("How it ended");
    if (!facts_.has_end) {
      line(
        fmt::format("It has no end on the log; {} open.",
                    of_.open_requests() == 1
                      ? "a request is"
                      : fmt::format("{} requests are", of_.open_requests())));
      return;
    }
    constexpr std::int64_t tokens_max = 1'000'000'000'000'000;
    const auto tokens = [&](std::string_view name) {
      return std::clamp<std::int64_t>(
        protocol::integer_of(facts_.usage, name).value_or(0), 0, tokens_max);
    };
    const auto used = tokens("prompt_tokens") + tokens("completion_tokens");
    const auto cost = spent(
      used, protocol::integer_of(facts_.usage, "cost_microusd").value_or(0));
    line(
      painted(facts_.status == "completed" ? green : red,
              fmt::format("It was {}: {}.{}", shown(facts_.status),
                          shown(stop_words(facts_.stop_reason), title_columns),
                          cost.empty() ? "" : " It used " + cost + '.')));
  }

  void findings() {
    const auto& rules = of_.rules();
    if (rules.total() == 0)
      return;
    section("Failures of the group");
    for (const auto& one : rules.found())
      line(
        fmt::format("{}{}: {}.", one.rule,
                    one.mast.empty() ? "" : fmt::format(" (MAST {})", one.mast),
                    neutral(one.message)));
    if (rules.total() > rules.found().size())
      line(fmt::format("and {} more", rules.total() - rules.found().size()));
  }

  const session_story& of_;
  const session_facts& facts_;
  bool in_color_;
  std::string text_;
};

} // namespace

std::string story_text(const session::session_story& of, bool in_color) {
  return story_writer{of, in_color}.write();
}

} // namespace convene::cli
