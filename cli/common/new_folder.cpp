#include <convene/cli/common/new_folder.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <system_error>
#include <utility>

namespace convene::cli {

using protocol::errc;
using protocol::fail;

protocol::result<void> make_new_folder(const std::filesystem::path& folder,
                                       std::string option) {
  std::error_code failed;
  const auto there = std::filesystem::status(folder, failed);
  if (std::filesystem::exists(there) && !std::filesystem::is_directory(there))
    return fail(host::file_error(errc::usage, folder,
                                 "is not a folder: name a new one",
                                 std::move(option)));
  host::create_private(folder, failed);
  if (failed)
    return fail(host::file_error(errc::io_failed, folder,
                                 "cannot be created: " + failed.message(),
                                 std::move(option)));
  if (!std::filesystem::is_empty(folder, failed) || failed)
    return fail(host::file_error(errc::usage, folder,
                                 "is not an empty folder: name a new one",
                                 std::move(option)));
  return {};
}

} // namespace convene::cli
