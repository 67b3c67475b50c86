#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/cli/common/session_store.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/learning/sample_file.hpp>
#include <convene/runtime/data/learning/session_samples.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace convene::cli {

/// `--learn` and `--scrub`.
struct learning_arguments {
  std::string file; ///< empty: none
  bool scrub = false;
};

/// What became of a run's learning samples.
struct learning_tally {
  std::string file;            ///< empty: only the store has them
  std::uint64_t samples = 0;   ///< collected
  std::uint64_t added = 0;     ///< to the file, which had the others
  std::uint64_t left_out = 0;  ///< beyond the bound
  std::uint64_t opted_out = 0; ///< sessions
  std::optional<protocol::error> failure;
};

/// Where a run's learning samples go: into a file, into its store, or both. The
/// first failure is final: it is told at the end, and the run goes on without.
class learning_output {
public:
  /// Null if samples go nowhere. `store` may be null.
  [[nodiscard]] static protocol::result<std::shared_ptr<learning_output>>
  open(const learning_arguments& arguments,
       std::shared_ptr<session_store> store);

  /// A collector for one more session.
  [[nodiscard]] host::session_samples collector() const;

  /// The session has ended.
  void put(host::session_samples& from);

  /// A session has ended whose samples could not be collected.
  void give_up(protocol::error why);

  [[nodiscard]] const learning_tally& tally() const noexcept {
    return tally_;
  }

private:
  learning_output() = default;

  host::sample_options options_;
  std::optional<host::sample_file> file_;
  std::shared_ptr<session_store> store_;
  learning_tally tally_;
};

/// Declares --learn and --scrub.
void add_learning(const command_line& command, learning_arguments& arguments);

/// For --json.
[[nodiscard]] protocol::json::object to_json(const learning_tally& tally);

/// For people, on standard output and standard error.
void tell(const learning_tally& tally, const std::string& folder,
          const common_options& common);

} // namespace convene::cli
