#pragma once

#include <convene/lab/load/load_order.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace convene::host {

/// What a load's level counts.
enum class load_unit : std::uint8_t {
  sessions,   ///< that are open at a time: a closed loop
  per_second, ///< sessions that start each second: an open loop
  turns,      ///< turns that are to be begun each second, likewise
};

[[nodiscard]] std::string_view to_word(load_unit unit) noexcept;

struct load_level {
  double value = 0;
  load_unit unit = load_unit::sessions;

  bool operator==(const load_level&) const = default;
};

/// A time in which the level is the same.
struct load_stage {
  load_time length{};
  load_level level;

  bool operator==(const load_stage&) const = default;
};

inline constexpr std::size_t stages_max = 1'000;
inline constexpr load_time load_time_max = std::chrono::hours{24};
/// Sessions at a time, sessions or turns a second.
inline constexpr double load_level_max = 10'000'000;

/// Reads `30s`, `500ms`, `2m` or `1h`, up to `load_time_max`.
[[nodiscard]] protocol::result<load_time> parse_time(std::string_view text);

/// A number at the beginning of `text`, which is cut off; nothing: there is
/// none, or it is below 0.
[[nodiscard]] std::optional<double> take_number(std::string_view& text);

/// Without the spaces around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Reads `100` (sessions at a time), `100/s` or `5000turns/s`.
[[nodiscard]] protocol::result<load_level> parse_level(std::string_view text);

/// Reads `10s:100,20s:500`; the levels all have the same unit.
[[nodiscard]] protocol::result<std::vector<load_stage>>
parse_stages(std::string_view text);

/// Says when the next session is due. Pure: time comes from outside.
class pacer {
public:
  virtual ~pacer() = default;

  /// When the next session was meant to start, if that is not after `now`; it
  /// then counts as started. `open` is how many sessions have not ended.
  [[nodiscard]] virtual std::optional<load_time>
  due(load_time now, std::size_t open) = 0;

  /// Until when there is nothing to do unless a session ends.
  [[nodiscard]] virtual load_time next(load_time now) const = 0;

  /// A session's end was reported.
  virtual void ended(load_time at) = 0;
};

/// The end of each stage, when the first one begins at 0.
[[nodiscard]] std::vector<load_time>
ends_of(const std::vector<load_stage>& stages);

/// So many sessions at a time: one that ends makes room for the next, which is
/// meant to start at that moment.
[[nodiscard]] std::unique_ptr<pacer>
make_closed_pacer(std::vector<load_stage> stages);

/// So many sessions a second at even intervals, whatever becomes of them.
/// `turns` is how many turns a session has, for levels that count these.
[[nodiscard]] std::unique_ptr<pacer>
make_open_pacer(std::vector<load_stage> stages, double turns);

/// Sessions at given times, in rising order.
[[nodiscard]] std::unique_ptr<pacer>
make_recorded_pacer(std::vector<load_time> starts);

} // namespace convene::host
