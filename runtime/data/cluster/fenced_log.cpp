#include <convene/runtime/data/cluster/append_attempt.hpp>
#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/cluster/fenced_log.hpp>
#include <convene/runtime/data/postgres/postgres_error.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::chrono::milliseconds first_pause{20};
constexpr std::chrono::milliseconds longest_pause{1'000};

/// Waits between tries, longer each time; false: no time is left.
class patience {
public:
  patience(std::chrono::steady_clock::time_point until, std::stop_token stop)
    : until_{until}, stop_{std::move(stop)} {}

  [[nodiscard]] bool wait() {
    std::mutex mutex;
    std::unique_lock lock{mutex};
    std::condition_variable_any never;
    const auto end = std::min(until_,
                              std::chrono::steady_clock::now() + pause_);
    never.wait_until(lock, stop_, end, [] { return false; });
    pause_ = std::min(2 * pause_, longest_pause);
    return !stop_.stop_requested() && std::chrono::steady_clock::now() < until_;
  }

private:
  std::chrono::steady_clock::time_point until_;
  std::stop_token stop_;
  std::chrono::milliseconds pause_ = first_pause;
};

result<void> check_size(std::span<const fenced_events> groups) {
  std::size_t lines = 0;
  std::size_t bytes = 0;
  for (const auto& one : groups) {
    lines += one.lines.size();
    for (const auto line : one.lines)
      bytes += line.size();
  }
  if (lines <= append_lines_max && bytes <= append_bytes_max)
    return {};
  return fail(errc::limit_reached,
              "an append of " + std::to_string(lines) + " events and "
                + std::to_string(bytes) + " bytes is too large: append at "
                + "most " + std::to_string(append_lines_max) + " events and "
                + std::to_string(append_bytes_max) + " bytes at a time",
              "append_max");
}

} // namespace

result<std::vector<append_end>>
fenced_log::append(std::span<const fenced_events> groups,
                   std::chrono::steady_clock::time_point until,
                   const std::stop_token& stop,
                   const std::function<void(const error&)>& tell) {
  if (auto fits = check_size(groups); !fits)
    return fail(std::move(fits).error());
  append_attempt attempt{groups};
  patience left{until, stop};
  while (!attempt.is_done()) {
    const auto in = database_.connection();
    const auto done = in ? attempt.advance(**in) : fail(in.error());
    if (!done && tell)
      tell(done.error());
    if (!done && (!is_waited_for(done.error()) || !left.wait()))
      return fail(done.error());
    if (!done && !is_passing(done.error()))
      database_.renew();
  }
  return attempt.ends();
}

result<std::vector<fenced_line>> fenced_log::read(std::string_view session_id,
                                                  std::int64_t from,
                                                  std::size_t most) {
  const auto in = database_.connection();
  if (!in)
    return fail(in.error());
  const auto rows
    = (*in)->query("SELECT epoch, line, place FROM convene_cluster.events "
                   "WHERE session_id = $1::uuid AND place >= $2 "
                   "ORDER BY place LIMIT $3",
                   {session_id, from, static_cast<std::int64_t>(most)});
  if (!rows)
    return fail(rows.error());
  std::vector<fenced_line> found;
  found.reserve(rows->size());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const auto place = from + static_cast<std::int64_t>(i);
    if (rows->number(i, 2) != place)
      return fail(errc::invalid_document,
                  "session " + std::string{session_id} + ": event "
                    + std::to_string(place) + " is missing from its log",
                  "log_gap");
    found.push_back({rows->number(i, 0), std::string{rows->text(i, 1)}});
  }
  return found;
}

} // namespace convene::host
