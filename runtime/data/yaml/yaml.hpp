#pragma once

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/yaml/text_place.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Whether the file is YAML by its name: `.yaml` or `.yml`.
[[nodiscard]] bool is_yaml(const std::filesystem::path& file);

/// Where a part of a JSON text is in the YAML that it was made from.
struct yaml_mark {
  std::uint32_t offset = 0; ///< in the JSON text
  std::uint32_t line = 0;   ///< 1-based, in the YAML text
  std::uint32_t column = 0; ///< 1-based, in bytes
};

/// What a YAML text means, as a value and as JSON text on one line.
struct yaml_document {
  protocol::json::value value;
  std::string json;
  std::vector<yaml_mark> marks; ///< by offset; of each key and value
};

/// The place of what begins at an offset of the JSON text, or before it.
[[nodiscard]] text_place place_in_yaml(const std::vector<yaml_mark>& marks,
                                       std::size_t offset) noexcept;

/// How many bytes of JSON text all aliases of a document may stand for.
inline constexpr std::size_t yaml_alias_bytes_max = 1U << 20;

/// Reads one YAML 1.2 document by its core schema. What `parse_json` refuses is
/// refused here by the same rules and within the same limits, which apply to
/// the JSON text, too; errors have line and column. Also refused, rule in
/// brackets: keys that are not strings (`yaml_key`), tags except `!!str`
/// (`yaml_tag`), directives except `%YAML 1.2` (`yaml_directive`), a second
/// document (`yaml_documents`), U+0085, U+2028 and U+2029 outside of escapes
/// (`yaml_line_break`), what `json_of_plain` refuses, an alias of something
/// that has not ended before (`yaml_alias`), and aliases that stand for too
/// much
/// (`yaml_alias_bytes_max`).
[[nodiscard]] protocol::result<yaml_document>
parse_yaml(std::string_view text, const protocol::json_limits& limits = {});

} // namespace convene::host
