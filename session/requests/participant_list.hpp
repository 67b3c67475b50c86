#pragma once

#include <convene/session/requests/request.hpp>

#include <cstddef>
#include <iterator>
#include <vector>

namespace convene::session {

/// Participants of a session in the order in which they were added, each at
/// most once. To add and to remove one takes the same time however many are in
/// it: a broadcast may have ten thousand.
class participant_list {
  struct link {
    participant_index before;
    participant_index after; ///< `no_participant`: it is not in the list
  };

public:
  using value_type = participant_index;

  class const_iterator {
  public:
    using value_type = participant_index;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const participant_index*;
    using reference = participant_index;

    const_iterator() = default;
    const_iterator(const participant_list& of, participant_index at)
      : of_(&of), at_(at) {}

    participant_index operator*() const noexcept {
      return at_;
    }
    const_iterator& operator++() noexcept {
      at_ = of_->links_[at_].after;
      return *this;
    }
    const_iterator operator++(int) noexcept {
      const auto here = *this;
      ++*this;
      return here;
    }
    bool operator==(const const_iterator&) const = default;

  private:
    const participant_list* of_ = nullptr;
    participant_index at_ = 0;
  };

  /// An empty list, for positions below `participants`.
  explicit participant_list(std::size_t participants)
    : links_(participants + 1, {no_participant, no_participant}) {
    clear();
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return size_;
  }
  [[nodiscard]] bool empty() const noexcept {
    return size_ == 0;
  }
  [[nodiscard]] bool contains(participant_index who) const noexcept {
    return links_[who].after != no_participant;
  }
  /// Of a list that is not empty.
  [[nodiscard]] participant_index front() const noexcept {
    return links_[end_position()].after;
  }
  [[nodiscard]] const_iterator begin() const noexcept {
    return {*this, front()};
  }
  [[nodiscard]] const_iterator end() const noexcept {
    return {*this, end_position()};
  }

  /// Adds one that is not in it, as the last.
  void push_back(participant_index who) noexcept {
    auto& end = links_[end_position()];
    links_[who] = {end.before, end_position()};
    links_[end.before].after = who;
    end.before = who;
    ++size_;
  }

  /// Removes one that is in it.
  void erase(participant_index who) noexcept {
    const auto gone = links_[who];
    links_[gone.before].after = gone.after;
    links_[gone.after].before = gone.before;
    links_[who].after = no_participant;
    --size_;
  }

  void clear() noexcept {
    for (auto& each : links_)
      each.after = no_participant;
    links_.back() = {end_position(), end_position()};
    size_ = 0;
  }

private:
  /// Of the link before the first and after the last one.
  [[nodiscard]] participant_index end_position() const noexcept {
    return static_cast<participant_index>(links_.size() - 1);
  }

  std::vector<link> links_; ///< by position, and the end's
  std::size_t size_ = 0;
};

} // namespace convene::session
