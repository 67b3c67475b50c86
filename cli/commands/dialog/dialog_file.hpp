#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/dialog.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::cli {

/// What a file holds that a dialog is read from.
struct dialog_file {
  std::filesystem::path file;
  protocol::json::value body;
  std::vector<std::size_t> lines; ///< of JSON Lines: where each item stands

  /// Says where the fault is, besides what it says already.
  [[nodiscard]] tl::unexpected<protocol::error>
  refuse(protocol::error what) const;
};

/// Sessions of a run whose dialogs are looked for.
inline constexpr std::size_t dialogs_max = 10'000;

/// The Dialog documents that `path` names: itself; of a folder its dialog.json,
/// or if a run of many sessions wrote it, each session's, in the order of their
/// names.
[[nodiscard]] protocol::result<std::vector<std::filesystem::path>>
dialogs_at(const std::filesystem::path& path);

/// The same if there is one; several are refused, with the way to name one.
[[nodiscard]] protocol::result<std::filesystem::path>
dialog_at(const std::filesystem::path& path);

/// Reads the one Dialog document at `path`, as `dialog_at` has it.
[[nodiscard]] protocol::result<dialog_file>
read_dialog_file(const std::filesystem::path& path);

/// Reads a chat: one JSON text, or JSON Lines, whose items are an array then.
[[nodiscard]] protocol::result<dialog_file>
read_chat_file(const std::filesystem::path& path);

/// Reads a Dialog document, in either form (docs/strict-form.md). `notes`
/// receives what was taken for something else, one sentence each; `as_written`,
/// unless it is null, the document as the file has it.
[[nodiscard]] protocol::result<protocol::dialog>
read_dialog(const std::filesystem::path& path, std::vector<std::string>& notes,
            boost::json::value* as_written = nullptr);

} // namespace convene::cli
