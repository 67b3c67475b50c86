#pragma once

#include <span>
#include <string_view>

namespace convene::cli {

/// A file of a template: `debate/scenario.json`.
struct template_file {
  std::string_view path;
  std::string_view text;
};

/// All files of `templates/`. `@TITLE@` stands for a JSON string.
[[nodiscard]] std::span<const template_file> template_files() noexcept;

} // namespace convene::cli
