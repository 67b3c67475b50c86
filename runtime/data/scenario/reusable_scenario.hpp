#pragma once

#include <convene/runtime/data/scenario/scenario.hpp>

#include <filesystem>
#include <memory>
#include <utility>

namespace convene::host {

/// A scenario whose files are read once, to load it with many seeds. May be
/// loaded by several threads at once.
class reusable_scenario {
public:
  struct parts;

  /// Reads it as `load_scenario` does, with the overrides and assignments of
  /// these options.
  [[nodiscard]] static protocol::result<reusable_scenario>
  from(const std::filesystem::path& path, const load_options& options);

  /// The same for a scenario that comes from elsewhere than a file.
  [[nodiscard]] static protocol::result<reusable_scenario>
  from(protocol::json::object scenario, const load_options& options);

  /// The rest of `load_scenario`. `options` are those of `from`, with a seed
  /// and ids of their own.
  [[nodiscard]] protocol::result<session::spec>
  load(const load_options& options) const;

  /// An error in what `load` returned, with the file, the line and the pointer
  /// within that file; one in what `--set` wrote names the option.
  [[nodiscard]] protocol::error located(protocol::error what) const;

private:
  explicit reusable_scenario(std::shared_ptr<const parts> read)
    : parts_(std::move(read)) {}

  std::shared_ptr<const parts> parts_;
};

} // namespace convene::host
