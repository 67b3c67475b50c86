#include <convene/runtime/outside/processes/confined_user.hpp>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace convene::host {
namespace {

bool is_taken(uid_t number) {
  std::array<char, 4096> text; // NOLINT: filled by what is called
  passwd user{};
  passwd* found_user = nullptr;
  group together{};
  group* found_group = nullptr;
  getpwuid_r(number, &user, text.data(), text.size(), &found_user);
  getgrgid_r(number, &together, text.data(), text.size(), &found_group);
  return found_user != nullptr || found_group != nullptr;
}

} // namespace

bool is_root() {
  return geteuid() == 0;
}

uid_t confined_user() {
  static const uid_t found = [] {
    auto number = confined_user_first;
    while (number < confined_user_last && is_taken(number))
      ++number;
    return number;
  }();
  return found;
}

bool lets(uid_t user, const std::filesystem::path& file, int what) {
  struct stat is {};
  if (stat(file.c_str(), &is) != 0)
    return false;
  const unsigned shift = is.st_uid == user ? 6 : is.st_gid == user ? 3 : 0;
  const auto wanted = static_cast<unsigned>(what);
  return ((is.st_mode >> shift) & wanted) == wanted;
}

protocol::result<void>
give_to_confined_user(const std::filesystem::path& folder) {
  if (!is_root()
      || lchown(folder.c_str(), confined_user(), confined_user()) == 0)
    return {};
  return protocol::fail(
    {.code = protocol::errc::io_failed,
     .message = "cannot be given to the user of sandboxed programs: "
                + std::generic_category().message(errno),
     .file = folder.string(),
     .rule = "work_folder"});
}

} // namespace convene::host
