#pragma once

#include <catch2/catch.hpp>
#include <git2.h>
#include <runtime/log/event_log/files.hpp>

#include <string>

namespace convene::tests {

/// A Git repository of its own, with files that tests write.
class made_repository {
public:
  made_repository() {
    git_libgit2_init();
    REQUIRE(git_repository_init(&repository_, root().c_str(), 0) == 0);
  }
  made_repository(const made_repository&) = delete;
  made_repository& operator=(const made_repository&) = delete;
  ~made_repository() {
    git_repository_free(repository_);
    git_libgit2_shutdown();
  }

  [[nodiscard]] std::filesystem::path root() const {
    return folder_.path();
  }
  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root() / path).parent_path());
    write_bytes(root() / path, text);
  }
  void remove(const std::string& path) const {
    std::filesystem::remove(root() / path);
  }

  /// Where it comes from.
  void remote(const std::string& url) const {
    git_config* config = nullptr;
    REQUIRE(git_repository_config(&config, repository_) == 0);
    REQUIRE(git_config_set_string(config, "remote.origin.url", url.c_str())
            == 0);
    git_config_free(config);
  }

  /// All files as they are.
  void stage() const {
    git_index* index = nullptr;
    REQUIRE(git_repository_index(&index, repository_) == 0);
    REQUIRE(git_index_add_all(index, nullptr, 0, nullptr, nullptr) == 0);
    REQUIRE(git_index_update_all(index, nullptr, nullptr, nullptr) == 0);
    REQUIRE(git_index_write(index) == 0);
    git_index_free(index);
  }

  /// What is staged; the id of the new commit.
  std::string commit(const std::string& message = "a change") const {
    git_index* index = nullptr;
    git_oid tree_id;
    git_tree* tree = nullptr;
    git_signature* who = nullptr;
    REQUIRE(git_repository_index(&index, repository_) == 0);
    REQUIRE(git_index_write_tree(&tree_id, index) == 0);
    REQUIRE(git_tree_lookup(&tree, repository_, &tree_id) == 0);
    REQUIRE(git_signature_new(&who, "A Tester", "tester@example.org", 1, 0)
            == 0);
    git_oid parent_id;
    git_commit* parent = nullptr;
    if (git_reference_name_to_id(&parent_id, repository_, "HEAD") == 0)
      REQUIRE(git_commit_lookup(&parent, repository_, &parent_id) == 0);
    const git_commit* parents[] = {parent};
    git_oid id;
    REQUIRE(git_commit_create(&id, repository_, "HEAD", who, who, nullptr,
                              message.c_str(), tree, parent == nullptr ? 0 : 1,
                              parents)
            == 0);
    git_commit_free(parent);
    git_signature_free(who);
    git_tree_free(tree);
    git_index_free(index);
    return git_oid_tostr_s(&id);
  }

  /// A branch with one commit that has no files and says this second, as
  /// libgit2 itself would not write it.
  void branch_at(const std::string& second) const {
    git_treebuilder* builder = nullptr;
    git_oid tree;
    REQUIRE(git_treebuilder_new(&builder, repository_, nullptr) == 0);
    REQUIRE(git_treebuilder_write(&tree, builder) == 0);
    git_treebuilder_free(builder);
    const auto by = " A Tester <tester@example.org> " + second + " +0000\n";
    const auto text = std::string{"tree "} + git_oid_tostr_s(&tree) + "\nauthor"
                      + by + "committer" + by + "\na change\n";
    git_odb* objects = nullptr;
    git_oid id;
    REQUIRE(git_repository_odb(&objects, repository_) == 0);
    REQUIRE(
      git_odb_write(&id, objects, text.data(), text.size(), GIT_OBJECT_COMMIT)
      == 0);
    git_odb_free(objects);
    git_reference* made = nullptr;
    REQUIRE(git_reference_create(&made, repository_, "refs/heads/made", &id, 0,
                                 nullptr)
            == 0);
    git_reference_free(made);
  }

  std::string commit_all() const {
    stage();
    return commit();
  }

private:
  scratch_folder folder_;
  git_repository* repository_ = nullptr;
};

} // namespace convene::tests
