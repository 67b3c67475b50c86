#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convene::protocol {

/// The hexadecimal digits of a seal.
inline constexpr std::size_t seal_digits = 32;

/// The seal of a line that is appended to others: a hash over the seal before
/// it and its text. A line that is changed, left out or moved no longer has the
/// seal that it should have. There is no key in it: whoever computes all seals
/// anew from the changed line on is not noticed.
[[nodiscard]] std::string seal_of(std::string_view before,
                                  std::string_view text);

/// A line of `text` that ends with a member `seal`.
struct sealed_text {
  std::string_view text; ///< without that member and the closing brace
  std::string_view seal; ///< empty: the line has none
};

/// Takes the seal off a JSON object's text, which has it as its last member, as
/// `,"seal":"..."}`.
[[nodiscard]] sealed_text split_seal(std::string_view object) noexcept;

/// The object's text without its seal.
[[nodiscard]] std::string without_seal(std::string_view object);

/// The seals of a file's lines, one after the other.
class seal_chain {
public:
  /// Takes the next line that was read; false: it does not have the seal that
  /// follows. Lines without one are those of an older version, which come
  /// first.
  [[nodiscard]] bool take(std::string_view line);

  /// Seals the next line, which is to be appended.
  [[nodiscard]] std::string seal(std::string_view line);

private:
  std::string last_;
  bool has_sealed_ = false;
};

/// The object with its seal as its last member. It must not be empty, nor have
/// a member of this name.
[[nodiscard]] std::string with_seal(std::string_view object,
                                    std::string_view before);

} // namespace convene::protocol
