#include <convene/integrations/git/handles.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <system_error>
#include <utility>

namespace convene::host::git {

using namespace convene::protocol;
namespace fs = std::filesystem;

namespace {

/// What the library said last.
std::string said() {
  const auto* const what = library().error_last();
  return what == nullptr || what->message == nullptr ? "no reason is known"
                                                     : what->message;
}

} // namespace

error git_fault(const fs::path& folder, const std::string& what,
                std::string rule) {
  return file_error(errc::unreadable, folder, what + ": " + said(),
                    std::move(rule));
}

result<opened> open(const fs::path& folder) {
  static const int started = library().libgit2_init();
  if (started < 0)
    return fail(git_fault(folder, "libgit2 cannot be started"));
  git_repository* found = nullptr;
  if (library().repository_open_ext(&found, folder.c_str(), 0, nullptr) != 0)
    return fail(git_fault(folder, "has no Git repository that can be opened"));
  opened made{.repository = repository_handle{found}};
  const auto* const files = library().repository_workdir(found);
  if (files == nullptr)
    return fail(
      file_error(errc::unreadable, folder, "is a repository without files"));
  std::error_code failed;
  const auto below = fs::canonical(folder, failed)
                       .lexically_relative(fs::canonical(files, failed) / "");
  if (failed || below.empty() || *below.begin() == "..")
    return fail(file_error(errc::unreadable, folder,
                           "is not among the files of its repository"));
  if (below != ".")
    made.prefix = (below / "").generic_string();
  return made;
}

std::string id_of(const git_object* commit) {
  return library().oid_tostr_s(library().object_id(commit));
}

} // namespace convene::host::git
