#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/dialog.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace convene::cli {

/// What a file holds that a dialog is read from.
struct dialog_file {
  std::filesystem::path file;
  protocol::json::value body;

  /// Says where the fault is, besides what it says already.
  [[nodiscard]] tl::unexpected<protocol::error>
  refuse(protocol::error what) const;
};

/// Reads `path`, or where it is a folder, its dialog.json.
[[nodiscard]] protocol::result<dialog_file>
read_dialog_file(const std::filesystem::path& path);

/// The same as a Dialog document, in either form (docs/strict-form.md). `notes`
/// receives what was taken for something else, one sentence each.
[[nodiscard]] protocol::result<protocol::dialog>
read_dialog(const std::filesystem::path& path, std::vector<std::string>& notes);

} // namespace convene::cli
