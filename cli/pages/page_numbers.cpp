#include <convene/cli/pages/page_numbers.hpp>

namespace convene::cli {

std::optional<double> number_of(const boost::json::value& number) {
  return number.is_number() ? number.to_number<double>()
                            : std::optional<double>{};
}

std::uint64_t count_of(const boost::json::value& number) {
  return number.to_number<std::uint64_t>();
}

report_estimate estimate_of(const boost::json::value& of) {
  if (of.is_null())
    return {};
  const auto& value = of.at("value");
  return {.value = number_of(value),
          .low = number_of(of.at("low")),
          .high = number_of(of.at("high")),
          .infinite = value == "infinity"    ? 1
                      : value == "-infinity" ? -1
                                             : 0};
}

report_unit unit_of(std::string_view measure) {
  if (measure.ends_with("_ms"))
    return report_unit::milliseconds;
  if (measure == "completed")
    return report_unit::share;
  return measure.ends_with("_microusd") ? report_unit::microusd
                                        : report_unit::number;
}

} // namespace convene::cli
