#pragma once

#include <convene/integrations/git/git_library.hpp>
#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <memory>
#include <string>

// What the sources of this room share of libgit2.

namespace convene::host::git {

template <auto Free>
struct freed_by {
  void operator()(auto* what) const noexcept {
    (library().*Free)(what);
  }
};
using repository_handle
  = std::unique_ptr<git_repository, freed_by<&git_library::repository_free>>;
using reference_handle
  = std::unique_ptr<git_reference, freed_by<&git_library::reference_free>>;
using object_handle
  = std::unique_ptr<git_object, freed_by<&git_library::object_free>>;
using tree_handle
  = std::unique_ptr<git_tree, freed_by<&git_library::tree_free>>;
using diff_handle
  = std::unique_ptr<git_diff, freed_by<&git_library::diff_free>>;

/// A fault, with what the library said last.
[[nodiscard]] protocol::error git_fault(const std::filesystem::path& folder,
                                        const std::string& what,
                                        std::string rule = {});

/// A repository, and where in it a folder is.
struct opened {
  repository_handle repository;
  std::string prefix; ///< empty, or with a slash at its end
};

[[nodiscard]] protocol::result<opened>
open(const std::filesystem::path& folder);

[[nodiscard]] std::string id_of(const git_object* commit);

} // namespace convene::host::git
