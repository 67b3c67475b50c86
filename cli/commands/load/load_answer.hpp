#pragma once

#include <boost/json/object.hpp>
#include <convene/cli/pages/report_page.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::cli {

/// What a load says in one sentence: up to which level the p99 kept its limit,
/// and where throughput stopped growing. None if no session ended.
[[nodiscard]] std::optional<report_verdict>
load_answer(const boost::json::object& summary);

/// The limits of its assertions that a chart can show, in milliseconds of
/// `session` or `turn` times, or in sessions or turns a second, with their
/// texts.
struct load_limits {
  std::vector<std::pair<double, std::string>> times;
  std::vector<std::pair<double, std::string>> rates;
};
[[nodiscard]] load_limits limits_of(const boost::json::object& summary);

/// `640 us`, `4.2 ms`, `1.3 s`.
[[nodiscard]] std::string time_words(double milliseconds);

} // namespace convene::cli
