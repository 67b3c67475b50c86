#pragma once

#include <convene/runtime/outside/processes/sandbox.hpp>
#include <runtime/outside/processes/marked.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace convene::test {

/// A folder of its own, removed at the end.
class folder_of_test {
public:
  /// Below /tmp; `mode` are its permissions.
  explicit folder_of_test(unsigned mode = 0755);
  folder_of_test(const folder_of_test&) = delete;
  folder_of_test& operator=(const folder_of_test&) = delete;
  ~folder_of_test();

  [[nodiscard]] const std::filesystem::path& path() const {
    return path_;
  }
  /// Adds a file that everybody may read and execute.
  std::filesystem::path add(const std::string& name,
                            const std::string& content) const;

private:
  std::filesystem::path path_;
};

/// Runs programs in the sandbox, in a folder of their own. Where the machine
/// cannot have one, the test fails with words by which CTest skips it.
class cage {
public:
  cage();

  /// Of a script in Python: what it wrote, or why it failed.
  std::string python(const std::string& script,
                     std::vector<std::string> arguments = {});

  [[nodiscard]] const std::filesystem::path& folder() const {
    return folder_.path();
  }

  marked mine;
  host::processes all;
  host::sandbox by;

private:
  folder_of_test folder_;
};

} // namespace convene::test
