#include <convene/lab/load/load_shape.hpp>
#include <convene/lab/load/pacer.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace convene::host {

using namespace protocol;

result<json::value> parse_think(std::string_view text) {
  const auto milliseconds = [](std::string_view part) -> result<json::value> {
    return parse_time(part).map([](load_time time) {
      return json::value(
        std::chrono::duration<double, std::milli>(time).count());
    });
  };
  const auto colon = text.find(':');
  if (colon == text.npos)
    return milliseconds(text);
  const auto shape = text.substr(0, colon);
  const auto rest = text.substr(colon + 1);
  const auto other = rest.find(':');
  if ((shape != "uniform" && shape != "lognormal") || other == rest.npos)
    return fail(
      errc::usage,
      quote(text)
        + " is not a thinking time: write 20ms, uniform:10ms:50ms (from, "
          "to) or lognormal:800ms:6s (median, 99th percentile)",
      "think");
  auto low = milliseconds(rest.substr(0, other));
  auto high = milliseconds(rest.substr(other + 1));
  if (!low || !high)
    return !low ? low : high;
  if (high->get_double() < low->get_double())
    return fail(errc::usage,
                quote(text) + ": the first time must not be above the other",
                "think");
  if (shape == "lognormal" && low->get_double() < 1)
    return fail(errc::usage, quote(text) + ": the median is 1ms at least",
                "think");
  const bool is_uniform = shape == "uniform";
  return json::value(
    json::object{{shape, json::object{{is_uniform ? "min" : "median", *low},
                                      {is_uniform ? "max" : "p99", *high}}}});
}

result<std::vector<mode_share>> parse_modes(std::string_view text) {
  constexpr std::size_t weight_max = 100;
  std::vector<mode_share> all;
  while (true) {
    const auto comma = text.find(',');
    const auto one = text.substr(0, comma);
    const auto equals = one.find('=');
    const auto word = one.substr(0, equals);
    const auto found = from_word<mode>(word);
    if (!found)
      return fail(errc::usage,
                  "unknown mode " + quote(word) + suggest(word, words_of<mode>)
                    + ": write broadcast, round_robin, orchestrated, swarm or "
                      "pair",
                  "mode");
    if (std::ranges::find(all, *found, &mode_share::mode) != all.end())
      return fail(errc::usage, quote(word) + " is there twice", "mode");
    std::size_t weight = 1;
    if (equals != one.npos) {
      const auto digits = one.substr(equals + 1);
      const auto [at, failed]
        = std::from_chars(digits.data(), digits.data() + digits.size(), weight);
      if (failed != std::errc{} || at != digits.data() + digits.size()
          || weight == 0 || weight > weight_max)
        return fail(
          errc::usage,
          quote(one) + ": after = comes how often it takes part, from 1 to 100",
          "mode");
    }
    all.push_back({*found, weight});
    if (comma == text.npos)
      return all;
    text.remove_prefix(comma + 1);
  }
}

} // namespace convene::host
