#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace convene::host::mock {

/// Random bits in a row: each a pure function of the start and its number.
class bit_row {
public:
  explicit bit_row(std::uint64_t start) : start_{start} {}

  /// A whole number below `bound`, which is above 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept;

private:
  std::uint64_t start_;
  std::uint64_t drawn_ = 0;
};

/// Sentences of English words, of exactly so many tokens.
[[nodiscard]] std::string drawn_text(bit_row from, std::int64_t tokens);

/// Arguments that fit a tool's JSON Schema as far as it has types, `enum`,
/// `const`, `minimum`, `properties`, `required` and `items`: all required
/// members, and no other ones.
[[nodiscard]] boost::json::object
drawn_arguments(bit_row from, const boost::json::object& schema);

} // namespace convene::host::mock
