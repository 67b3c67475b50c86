#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace convene::actors {

/// What a name stands for; nothing: the name is not known.
using name_lookup
  = std::function<std::optional<std::string>(std::string_view name)>;

/// Whether a text has names in it, written `${name}`.
[[nodiscard]] bool has_names(std::string_view text) noexcept;
[[nodiscard]] bool has_names(const boost::json::value& in);

/// Most bytes that names stand for, over all places where they stand.
inline constexpr std::size_t named_bytes_max = std::size_t{1} << 20;

/// Replaces each name once by what it stands for, in all texts within `in`,
/// which are not names of members. One that is not known stays as it is.
/// False: they stand for more than `named_bytes_max` bytes; some are replaced.
[[nodiscard]] bool replace_names(boost::json::value& in,
                                 const name_lookup& known);

/// Where a text within `in` has a name that `is_known` does not know: its JSON
/// pointer below `in`, and the name.
struct unknown_name {
  std::string pointer;
  std::string name;
};
[[nodiscard]] std::optional<unknown_name>
find_unknown_name(const boost::json::value& in,
                  const std::function<bool(std::string_view name)>& is_known);

} // namespace convene::actors
