#pragma once

#include <convene/lab/load/load_order.hpp>
#include <convene/lab/load/load_recorder.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Measures one session by its events as they are seen, without parsing them.
/// Calls come one at a time, from any thread.
class session_probe {
public:
  session_probe(const load_order& order, load_recorder& recorder)
    : order_{order}, recorder_{recorder} {}

  /// Lines of the session's log, whole and in order, seen at a time.
  void see(std::string_view lines, load_time now);

  /// Whether MAPSessionCompleted was seen.
  [[nodiscard]] bool has_ended() const noexcept {
    return has_ended_;
  }
  [[nodiscard]] load_time ended_at() const noexcept {
    return ended_at_;
  }
  [[nodiscard]] load_time last_answer_at() const noexcept {
    return last_answer_at_;
  }
  /// Of MAPSessionCompleted.
  [[nodiscard]] bool is_completed() const noexcept {
    return is_completed_;
  }
  [[nodiscard]] const std::string& condition() const noexcept {
    return condition_;
  }

private:
  /// Something that has begun, by what names it.
  struct begun {
    std::uint64_t key = 0;
    load_time at{};
  };
  using all_begun = std::vector<begun>;

  void see_event(std::string_view line, load_time now);
  void turn_begins(std::uint64_t who, std::uint64_t turn, load_time now);
  void answered(std::string_view line, std::string_view status, load_time began,
                load_time now);
  void session_ends(std::string_view line, load_time now);

  static void begin(all_begun& in, std::uint64_t key, load_time at);
  /// When it began; `otherwise` if it did not. It is taken out.
  static load_time end(all_begun& in, std::uint64_t key, load_time otherwise);

  load_order order_;
  load_recorder& recorder_;
  load_time started_at_{};
  load_time last_answer_at_{};
  load_time ended_at_{};
  all_begun turns_;
  all_begun free_; ///< participants, since when
  all_begun broadcasts_;
  all_begun conflicts_;
  std::string disputed_; ///< the event of the latest conflict
  std::string condition_;
  bool has_ended_ = false;
  bool is_completed_ = false;
};

} // namespace convene::host
