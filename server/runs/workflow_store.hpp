#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/workflow/workflow.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// A workflow that runs can be made of.
struct registered_workflow {
  std::shared_ptr<const protocol::workflow> checked;
  boost::json::value definition; ///< as it was written
};

/// A file of the folder that no run can be made of.
struct refused_workflow {
  std::string file; ///< its name in the folder
  std::string id;   ///< empty: the definition is wrong
  protocol::error why;
  std::optional<protocol::missing_capability> lacks;
};

/// The workflows of a folder, and the definitions that runs were made of, which
/// are kept: a run goes on, and is replayed, with its own, whatever becomes of
/// the folder. Does not change once it is open, except for what is kept; one
/// thread at a time.
class workflow_store {
public:
  /// Reads all files `*.json` of `folder`, none if it is empty. Definitions are
  /// kept in `kept`, which is created. Wrong definitions are `refused`, also
  /// those with the id of one before (rule `unique_workflow_id`) or that need a
  /// capability which is not there (`capability_required`). Errors are those of
  /// the folders; rule `workflows_max` for more than 1,000 files.
  [[nodiscard]] static protocol::result<workflow_store>
  open(const std::filesystem::path& folder, std::filesystem::path kept,
       bool has_conversations = true);

  static constexpr std::size_t workflows_max = 1'000;

  /// By its id; null: there is none.
  [[nodiscard]] const registered_workflow* find(std::string_view id) const;

  /// By id, in order.
  [[nodiscard]] const std::map<std::string, registered_workflow, std::less<>>&
  all() const noexcept {
    return all_;
  }

  /// In the order of their names.
  [[nodiscard]] const std::vector<refused_workflow>& refused() const noexcept {
    return refused_;
  }

  /// The definition that was kept under a digest; rule `workflow_digest` if it
  /// is another one.
  [[nodiscard]] protocol::result<std::shared_ptr<const protocol::workflow>>
  kept(const std::string& digest);

private:
  explicit workflow_store(std::filesystem::path kept)
    : folder_{std::move(kept)} {}

  /// Keeps the definition on disk, if it is not there yet.
  protocol::result<void> keep(const registered_workflow& which) const;
  void add(const std::filesystem::path& file, bool has_conversations);
  [[nodiscard]] std::filesystem::path file_of(const std::string& digest) const;

  std::filesystem::path folder_; ///< of what is kept
  std::map<std::string, registered_workflow, std::less<>> all_;
  std::vector<refused_workflow> refused_;
  std::map<std::string, std::shared_ptr<const protocol::workflow>> by_digest_;
};

} // namespace convene::server
