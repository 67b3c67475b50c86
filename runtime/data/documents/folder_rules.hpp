#pragma once

#include <convene/runtime/data/documents/check_invariants.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <utility>

namespace convene::host {

/// The invariants of many files: those between the documents of a folder, and
/// those of the log that its JSON Lines files form.
class folder_rules {
public:
  /// Whether the log of a folder ends in the middle for good.
  using at_rest = std::function<bool(const std::filesystem::path& folder)>;

  /// `rules` must outlive this object. `rests` may be empty.
  explicit folder_rules(const protocol::rule_set& rules, at_rest rests = {})
    : rules_(rules), rests_(std::move(rests)) {}

  /// Registers a file that `open` will be called for: once for each, in the
  /// same order.
  [[nodiscard]] protocol::result<void> add(const std::filesystem::path& file,
                                           const std::string& schema);

  /// What to check the file against. Valid until `close`.
  [[nodiscard]] invariant_rules open(const std::filesystem::path& file);

  /// To be called after the file's last line: checks what is still open at the
  /// end of the log, if this is its last file.
  void close(const std::filesystem::path& file, std::size_t lines,
             file_verdict& out);

private:
  struct folder {
    explicit folder(const protocol::rule_set& rules)
      : related{rules}, sessions{rules} {}

    protocol::related_documents related;
    protocol::session_rules sessions;
    std::size_t logs_left = 0;
    std::size_t lines = 0; ///< of the logs that are closed
  };

  folder& folder_of(const std::filesystem::path& file);

  const protocol::rule_set& rules_;
  const at_rest rests_;
  std::map<std::filesystem::path, folder> folders_;
};

} // namespace convene::host
