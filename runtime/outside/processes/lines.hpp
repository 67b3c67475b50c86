#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// Cuts a stream of bytes into lines of bounded length.
class line_splitter {
public:
  explicit line_splitter(std::size_t bytes_max) : bytes_max_{bytes_max} {
    // nop
  }

  /// Calls `take(line, is_cut)` for each line that `bytes` completes, without
  /// its end. Of a longer one, the beginning is taken as soon as that is known,
  /// with `is_cut`, and the rest of it is dropped.
  template <class Take>
  void feed(std::string_view bytes, Take take) {
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      const bool complete = end != bytes.npos;
      const auto part = bytes.substr(0, end);
      bytes.remove_prefix(complete ? end + 1 : bytes.size());
      if (!is_dropping_) {
        const auto room = bytes_max_ - rest_.size();
        rest_.append(part.substr(0, room));
        is_dropping_ = part.size() > room;
        if (complete || is_dropping_)
          give(take, is_dropping_);
      }
      if (complete)
        is_dropping_ = false;
    }
  }

  /// The last line, if it has no end.
  template <class Take>
  void finish(Take take) {
    if (!rest_.empty())
      give(take, false);
  }

private:
  template <class Take>
  void give(Take& take, bool is_cut) {
    std::string line;
    line.swap(rest_);
    if (!is_cut && line.ends_with('\r'))
      line.pop_back();
    take(std::move(line), is_cut);
  }

  std::size_t bytes_max_;
  std::string rest_;
  bool is_dropping_ = false;
};

/// Lets only so many lines through in each second, and counts the others.
class line_rate {
public:
  using time = std::chrono::steady_clock::time_point;

  explicit line_rate(std::uint32_t each_second) : most_{each_second} {
    // nop
  }

  [[nodiscard]] bool allows(time now) {
    if (now - since_ >= std::chrono::seconds{1}) {
      since_ = now;
      count_ = 0;
    }
    if (count_ < most_) {
      ++count_;
      return true;
    }
    ++dropped_;
    return false;
  }

  /// How many were not let through since this was last asked.
  [[nodiscard]] std::uint64_t take_dropped() {
    const auto n = dropped_;
    dropped_ = 0;
    return n;
  }

private:
  std::uint32_t most_;
  time since_{};
  std::uint32_t count_ = 0;
  std::uint64_t dropped_ = 0;
};

} // namespace convene::host
