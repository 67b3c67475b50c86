#pragma once

#include <convene/lab/load/histogram.hpp>
#include <convene/lab/load/load_order.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// What is measured, each as a histogram in nanoseconds.
enum class load_measure : std::uint8_t {
  session,  ///< from the intended start until the end is reported
  start,    ///< from the intended start until MAPSessionStarted is seen
  turn,     ///< from its dispatch, or the broadcast, until its answer
  wait,     ///< of a participant: from its last turn, or the start, to the next
  log,      ///< from a session's last event until it is durable and reported
  end,      ///< from the last answer until the end is reported
  conflict, ///< from MAPConflictDetected to MAPConflictResolved
  lag,      ///< from the intended start until the generator starts it
};
inline constexpr std::size_t load_measures = 8;
[[nodiscard]] std::string_view to_word(load_measure what) noexcept;

/// What is counted.
enum class load_tally : std::uint8_t {
  started,
  completed,
  cancelled,
  failed,
  turns, ///< closed; an answer to a broadcast is one, too
  turns_failed,
  events,
  bytes, ///< of events
  conflicts,
  writes_refused,
};
inline constexpr std::size_t load_tallies = 10;
[[nodiscard]] std::string_view to_word(load_tally what) noexcept;

/// How often each reason was given.
using reason_counts = std::map<std::string, std::uint64_t, std::less<>>;

/// What was recorded of a part of the load; a value.
struct load_figures {
  std::array<histogram, load_measures> times;
  std::array<std::uint64_t, load_tallies> counts{};

  [[nodiscard]] const histogram& of(load_measure what) const noexcept {
    return times[static_cast<std::size_t>(what)];
  }
  [[nodiscard]] std::uint64_t of(load_tally what) const noexcept {
    return counts[static_cast<std::size_t>(what)];
  }
  void add(const load_figures& other) noexcept;
};

/// Collects what a load measures, by kind of session and stage. Thread-safe.
///
/// Sessions count if they were intended after the warm-up; turns and all that
/// is in a session if they are closed after it. What is counted for the sake of
/// rates (`tally`) is only counted until the last stage ends, so that waiting
/// for the rest does not change the rates.
class load_recorder {
public:
  /// Kinds and stages, and between when it counts.
  load_recorder(std::size_t kinds, std::size_t stages, load_time from,
                load_time until);

  /// The stage that runs at a time is set by the generator.
  void enter_stage(std::size_t stage) noexcept {
    stage_ = stage;
  }

  /// The measured part begins when this says so.
  [[nodiscard]] bool counts_at(load_time now) const noexcept {
    return now >= from_ && now < until_;
  }

  void begun(const load_order& order) noexcept;
  void ended(const load_ending& what);
  /// Of a measured session that had not ended when all was over.
  void unfinished(const load_order& order, load_time begun,
                  load_time now) noexcept;

  /// Of something in a session, at a time.
  void took(std::size_t kind, load_measure what, load_time how_long,
            load_time now) noexcept;
  void count(std::size_t kind, load_tally what, std::uint64_t more,
             load_time now) noexcept;
  void turn_failed(std::size_t kind, std::string_view status, load_time now);
  void write_refused(std::size_t kind, load_time now) noexcept;

  [[nodiscard]] std::unique_ptr<load_figures> of_kind(std::size_t kind) const;
  [[nodiscard]] std::unique_ptr<load_figures> of_stage(std::size_t stage) const;
  [[nodiscard]] std::unique_ptr<load_figures> total() const;

  [[nodiscard]] reason_counts session_errors() const;
  [[nodiscard]] reason_counts turn_errors() const;
  /// Failed or timed out, at any time.
  [[nodiscard]] std::uint64_t turns_failed() const noexcept {
    return turns_failed_;
  }
  /// At any time.
  [[nodiscard]] std::uint64_t writes_refused() const noexcept {
    return writes_refused_;
  }
  [[nodiscard]] std::uint64_t unfinished() const noexcept {
    return unfinished_;
  }

  /// Reasons that are told apart; all others are counted as one.
  static constexpr std::size_t reasons_max = 100;

private:
  struct shared_figures {
    std::array<shared_histogram, load_measures> times;
    std::array<std::atomic<std::uint64_t>, load_tallies> counts{};

    void read(load_figures& into) const noexcept;
  };

  void time(const load_order& order, load_measure what,
            load_time how_long) noexcept;
  static void note(reason_counts& into, std::string_view reason);

  const load_time from_;
  const load_time until_;
  std::atomic<std::size_t> stage_{0};
  std::vector<std::unique_ptr<shared_figures>> kinds_;
  std::vector<std::unique_ptr<shared_figures>> stages_;
  std::atomic<std::uint64_t> turns_failed_{0};
  std::atomic<std::uint64_t> writes_refused_{0};
  std::atomic<std::uint64_t> unfinished_{0};
  mutable std::mutex mutex_;
  reason_counts session_errors_; ///< guarded by mutex, like the next
  reason_counts turn_errors_;
};

} // namespace convene::host
