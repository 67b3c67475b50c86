#include <convene/lab/load/pacer.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace convene::host {

using namespace protocol;

std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [at, failed] = std::from_chars(text.data(),
                                            text.data() + text.size(), number,
                                            std::chars_format::fixed);
  if (failed != std::errc{} || !(number >= 0))
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return number;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

result<load_time> parse_time(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units{{
    {"ms", 1e6},
    {"s", 1e9},
    {"m", 60e9},
    {"h", 3600e9},
  }};
  auto rest = trimmed(text);
  const auto number = take_number(rest);
  for (const auto& [word, nanoseconds] : units) {
    if (!number || rest != word)
      continue;
    const auto value = *number * nanoseconds;
    if (value > static_cast<double>(load_time_max.count()))
      return fail(errc::limit_reached,
                  quote(text) + " is too long: 24 h at most", "load_time_max");
    return load_time{static_cast<load_time::rep>(value)};
  }
  return fail(errc::usage,
              quote(text)
                + " is not a duration; use e.g. 30s or 5m (ms, s, m, h)",
              "load_time");
}

result<load_level> parse_level(std::string_view text) {
  auto rest = trimmed(text);
  const auto number = take_number(rest);
  std::optional<load_unit> unit;
  if (rest.empty())
    unit = load_unit::sessions;
  else if (rest == "/s")
    unit = load_unit::per_second;
  else if (rest == "turns/s")
    unit = load_unit::turns;
  if (!number || !unit)
    return fail(
      errc::usage,
      quote(text)
        + " is not a level: write 100 for sessions at a time, 100/s for "
          "sessions or 100turns/s for turns a second",
      "load_level");
  if (*number > load_level_max)
    return fail(errc::limit_reached,
                quote(text) + " is too much: 10,000,000 at most",
                "load_level_max");
  if (*unit == load_unit::sessions
      && *number != static_cast<double>(static_cast<std::int64_t>(*number)))
    return fail(errc::usage,
                quote(text) + " is not a whole number of sessions at a time",
                "load_level");
  return load_level{*number, *unit};
}

result<std::vector<load_stage>> parse_stages(std::string_view text) {
  std::vector<load_stage> stages;
  load_time all{};
  bool is_any = false;
  while (true) {
    const auto comma = text.find(',');
    const auto one = text.substr(0, comma);
    const auto colon = one.find(':');
    if (colon == one.npos)
      return fail(errc::usage,
                  quote(one)
                    + " is not a stage: write a duration and a level, as in "
                      "10s:100,20s:500",
                  "load_stage");
    const auto length = parse_time(one.substr(0, colon));
    if (!length)
      return fail(length.error());
    const auto level = parse_level(one.substr(colon + 1));
    if (!level)
      return fail(level.error());
    if (!stages.empty() && level->unit != stages.front().level.unit)
      return fail(errc::usage,
                  "the levels of all stages have the same unit: sessions at a "
                  "time, /s or turns/s",
                  "load_stage");
    if (length->count() == 0)
      return fail(errc::usage, quote(one) + " takes no time", "load_stage");
    if (stages.size() == stages_max)
      return fail(errc::limit_reached, "a load has at most 1,000 stages",
                  "stages_max");
    all += *length;
    is_any = is_any || level->value > 0;
    stages.push_back({*length, *level});
    if (comma == text.npos)
      break;
    text.remove_prefix(comma + 1);
  }
  if (all > load_time_max)
    return fail(errc::limit_reached, "all stages together take 24 h at most",
                "load_time_max");
  if (!is_any)
    return fail(errc::usage, "no stage has a level above 0", "load_stage");
  return stages;
}

} // namespace convene::host
