#include <convene/lab/load/assertion.hpp>
#include <convene/lab/load/pacer.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

struct time_unit {
  std::string_view word;
  double nanoseconds;
};
constexpr std::array<time_unit, 4> time_units{
  {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

std::optional<double> number_of(std::string_view text) {
  const auto number = take_number(text);
  return text.empty() && number && std::isfinite(*number) ? number
                                                          : std::nullopt;
}

std::optional<load_measure> measure_of(std::string_view word) {
  for (std::size_t i = 0; i < load_measures; ++i)
    if (to_word(static_cast<load_measure>(i)) == word)
      return static_cast<load_measure>(i);
  return std::nullopt;
}

std::optional<double> share_of(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? std::nullopt
                  : std::optional{static_cast<double>(some)
                                  / static_cast<double>(all)};
}

std::optional<double> as_double(std::optional<std::uint64_t> value) {
  return value ? std::optional{static_cast<double>(*value)} : std::nullopt;
}

} // namespace

load_rates rates_of(const load_figures& all, const load_recorder& recorder,
                    load_time measured) {
  const auto seconds = std::chrono::duration<double>(measured).count();
  const auto rate = [&](std::uint64_t count) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  };
  std::uint64_t wrong = recorder.unfinished();
  for (const auto& [reason, count] : recorder.session_errors())
    wrong += count;
  return {.sessions
          = rate(all.of(load_tally::completed) + all.of(load_tally::cancelled)),
          .turns = rate(all.of(load_tally::turns)),
          .events = rate(all.of(load_tally::events)),
          .bytes = rate(all.of(load_tally::bytes)),
          .errors = share_of(wrong, all.of(load_measure::session).count()),
          .turn_errors = share_of(all.of(load_tally::turns_failed),
                                  all.of(load_tally::turns))};
}

result<load_assertion> load_assertion::parse(std::string_view text) {
  load_assertion made;
  made.text_ = text;
  const auto at = text.find_first_of("<>");
  if (at == text.npos)
    return fail(errc::usage,
                quote(text)
                  + " compares nothing: write one as in 'p99<5ms', "
                    "'errors<1%' or 'turns/s>1000'",
                "assertion");
  made.below_ = text[at] == '<';
  auto limit = text.substr(at + 1);
  made.or_equal_ = limit.starts_with('=');
  if (made.or_equal_)
    limit.remove_prefix(1);
  auto read = made.read_figure(trimmed(text.substr(0, at))).and_then([&] {
    return made.read_limit(trimmed(limit));
  });
  if (!read)
    return fail(std::move(read).error());
  return made;
}

result<void> load_assertion::read_figure(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, figure>, 6> plain{{
    {"errors", figure::errors},
    {"turn_errors", figure::turn_errors},
    {"sessions/s", figure::sessions},
    {"turns/s", figure::turns},
    {"events/s", figure::events},
    {"bytes/s", figure::bytes},
  }};
  for (const auto& [word, what] : plain)
    if (name == word) {
      what_ = what;
      return {};
    }
  auto rest = name;
  if (const auto dot = rest.find('.'); dot != rest.npos) {
    if (const auto of = measure_of(rest.substr(0, dot))) {
      of_ = *of;
      rest.remove_prefix(dot + 1);
    }
  }
  if (rest == "mean" || rest == "max") {
    what_ = rest == "mean" ? figure::mean : figure::max;
    return {};
  }
  if (rest.starts_with('p')) {
    const auto percent = number_of(rest.substr(1));
    if (percent && *percent > 0 && *percent < 100) {
      share_ = *percent / 100;
      return {};
    }
  }
  constexpr std::array<std::string_view, 14> known{
    "errors",  "turn_errors", "sessions/s", "turns/s", "events/s",
    "bytes/s", "p99",         "session",    "start",   "turn",
    "wait",    "log",         "end",        "conflict"};
  return fail(errc::usage,
              "unknown figure " + quote(name) + suggest(name, known)
                + ": write p99, mean or max, before it session, start, turn, "
                  "wait, log, end, conflict or lag and a dot; or errors, "
                  "turn_errors, sessions/s, turns/s, events/s, bytes/s",
              "assertion");
}

result<void> load_assertion::read_limit(std::string_view text) {
  if (is_time()) {
    for (const auto& unit : time_units) {
      const auto number = text.ends_with(unit.word) ? number_of(
                            text.substr(0, text.size() - unit.word.size()))
                                                    : std::nullopt;
      if (!number)
        continue;
      limit_ = *number * unit.nanoseconds;
      return {};
    }
    return fail(errc::usage,
                quote(text)
                  + " is not a duration; use e.g. 5ms or 1s (ns, us, ms, s)",
                "assertion");
  }
  const bool is_percent = text.ends_with('%');
  const auto number = number_of(is_percent ? text.substr(0, text.size() - 1)
                                           : text);
  if (!number || is_percent != is_share())
    return fail(errc::usage,
                quote(text)
                  + (is_share() ? " is not a share; use e.g. 1%"
                                : " is not a number"),
                "assertion");
  limit_ = is_share() ? *number / 100 : *number;
  return {};
}

std::optional<double> load_assertion::value_in(const load_figures& all,
                                               const load_rates& rates) const {
  switch (what_) {
    case figure::quantile:
      return as_double(all.of(of_).quantile(share_));
    case figure::mean:
      return all.of(of_).mean();
    case figure::max:
      return as_double(all.of(of_).max());
    case figure::errors:
      return rates.errors;
    case figure::turn_errors:
      return rates.turn_errors;
    case figure::sessions:
      return rates.sessions;
    case figure::turns:
      return rates.turns;
    case figure::events:
      return rates.events;
    case figure::bytes:
      return rates.bytes;
  }
  return std::nullopt;
}

bool load_assertion::holds(std::optional<double> value) const noexcept {
  if (!value)
    return false;
  if (or_equal_ && *value == limit_)
    return true;
  return below_ ? *value < limit_ : *value > limit_;
}

std::optional<load_assertion::time_limit>
load_assertion::quantile_limit() const noexcept {
  if (what_ != figure::quantile)
    return std::nullopt;
  return time_limit{of_, share_, limit_, below_};
}

std::optional<double> load_assertion::rate_limit() const noexcept {
  return what_ == figure::sessions || what_ == figure::turns
           ? std::optional{limit_}
           : std::nullopt;
}

std::string load_assertion::shown(std::optional<double> value) const {
  if (!value)
    return "nothing measured";
  if (is_time())
    return shown_time(*value);
  return is_share() ? fmt::format("{:.3g}%", *value * 100)
                    : fmt::format("{:.0f}", *value);
}

std::string shown_time(double nanoseconds) {
  const auto* unit = &time_units[0];
  for (const auto& each : time_units)
    if (nanoseconds >= each.nanoseconds)
      unit = &each;
  const auto number = nanoseconds / unit->nanoseconds;
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", number, digits, unit->word);
}

} // namespace convene::host
