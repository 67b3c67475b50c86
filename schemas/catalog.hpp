#pragma once

#include <span>
#include <string_view>

namespace convene::schemas {

/// A file of the folder schemas/, as it was when the library was built.
struct embedded_file {
  std::string_view path; ///< below schemas/, such as v2/mplp-plan.schema.json
  std::string_view id;   ///< its `$id`; empty: it is data, not a schema
  std::string_view text; ///< JSON

  bool operator==(const embedded_file&) const = default;
};

/// Every schema, invariant and taxonomy file, in the order of their paths.
[[nodiscard]] std::span<const embedded_file> all() noexcept;

/// What `mplp-plan` is for v2/mplp-plan.schema.json: the file's name without
/// its ending.
[[nodiscard]] std::string_view name(const embedded_file& file) noexcept;

/// What `plan` is for v2/mplp-plan.schema.json: the name without the
/// prefix `mplp-` or `convene-`. No two files share one.
[[nodiscard]] std::string_view short_name(const embedded_file& file) noexcept;

/// The file with this path, `$id`, or name without the ending (`mplp-plan`) or
/// without prefix and ending (`plan`). Null: there is none.
[[nodiscard]] const embedded_file* find(std::string_view name) noexcept;

} // namespace convene::schemas
