#pragma once

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/yaml/yaml.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The text of a file as JSON, and where in the file its parts are.
struct source_text {
  std::string json;
  std::vector<yaml_mark> marks = {}; ///< of a YAML file

  /// As `convene::host::locate`, in the file.
  [[nodiscard]] text_place locate(std::string_view pointer) const noexcept;
};

/// A file's value and its text.
struct parsed_source {
  protocol::json::value value;
  source_text text;
};

/// Reads YAML, if the file's name says so, or JSON. `relaxed`: with comments
/// and trailing commas. Errors do not name the file.
[[nodiscard]] protocol::result<parsed_source>
parse_source(std::string text, const std::filesystem::path& file, bool relaxed);

} // namespace convene::host
