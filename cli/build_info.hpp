#pragma once

#include <string_view>

namespace convene::cli {

/// How this program was built.
struct build_info {
  std::string_view version;
  std::string_view commit; ///< "unknown": not from a Git checkout
  std::string_view build_type;
  std::string_view compiler; ///< "GNU 12.2.0"
};

[[nodiscard]] build_info this_build() noexcept;

} // namespace convene::cli
