#pragma once

#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Constants with names, of which an application can add some while the process
/// runs. None is removed. Thread-safe.
template <class T, std::size_t Max>
class constant_list {
public:
  constant_list() = default;
  explicit constant_list(std::span<const T* const> first)
    : count_{first.size()} {
    std::ranges::copy(first, all_.begin());
  }

  [[nodiscard]] std::span<const T* const> all() const noexcept {
    return {all_.data(), count_.load(std::memory_order_acquire)};
  }

  [[nodiscard]] const T* find(std::string_view name) const noexcept {
    const auto found
      = std::ranges::find(all(), name, [](const T* one) { return one->name; });
    return found == all().end() ? nullptr : *found;
  }

  /// `kind` and `kinds` name the constants in errors, whose rules are
  /// `<kind>_name`, `<kind>_exists` and `<kinds>_max`.
  [[nodiscard]] result<void> add(const T& own, const std::string& kind,
                                 const std::string& kinds) {
    if (!is_name(own.name))
      return fail(errc::not_allowed,
                  "the name of a " + kind
                    + " has 1 to 64 lower-case letters, digits and _",
                  kind + "_name");
    const std::lock_guard held{adding_};
    if (find(own.name) != nullptr)
      return fail(
        {.code = errc::not_allowed,
         .message = "there is a " + kind + " of this name; choose another",
         .rule = kind + "_exists",
         .value = std::string{own.name}});
    const auto count = count_.load(std::memory_order_relaxed);
    if (count == all_.size())
      return fail(errc::limit_reached, "no more " + kinds + " can be added",
                  kinds + "_max");
    all_[count] = &own;
    count_.store(count + 1, std::memory_order_release);
    return {};
  }

private:
  static bool is_name(std::string_view name) {
    constexpr std::size_t longest = 64;
    return !name.empty() && name.size() <= longest
           && std::ranges::all_of(name, [](char c) {
                return is_lower(c) || is_digit(c) || c == '_';
              });
  }

  std::array<const T*, Max> all_{}; ///< what is in front of `count_` stays
  std::atomic<std::size_t> count_{0};
  std::mutex adding_;
};

} // namespace convene::protocol
