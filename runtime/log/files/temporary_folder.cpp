#include <convene/runtime/log/files/temporary_folder.hpp>

#include <cstdlib>
#include <system_error>

namespace convene::host {

std::filesystem::path temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named == nullptr || *named == '\0' ? "/tmp" : named;
}

protocol::result<std::filesystem::path> find_temporary_folder() {
  auto folder = temporary_folder();
  std::error_code failed;
  if (std::filesystem::is_directory(folder, failed))
    return folder;
  return protocol::fail({.code = protocol::errc::usage,
                         .message = "there is no such folder for temporary "
                                    "files: set TMPDIR to another one",
                         .file = folder.string(),
                         .rule = "temporary_folder"});
}

} // namespace convene::host
