#include <convene/runtime/data/documents/staging_folder.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/system_fault.hpp>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// All that is below a folder, by name; empty if it cannot be read.
std::set<fs::path> names_below(const fs::path& folder,
                               std::error_code& failed) {
  std::set<fs::path> names;
  fs::recursive_directory_iterator at{folder, failed};
  for (; !failed && at != fs::recursive_directory_iterator{};
       at.increment(failed))
    names.insert(at->path().lexically_relative(folder));
  return names;
}

/// What is below the folder is for its owner alone, like the logs and the
/// documents that it is copied from.
std::error_code make_private(const fs::path& folder) {
  std::error_code failed;
  fs::recursive_directory_iterator at{folder, failed};
  for (; !failed && at != fs::recursive_directory_iterator{};
       at.increment(failed)) {
    const bool is_folder = at->is_directory(failed);
    if (!failed && !at->is_symlink())
      fs::permissions(*at,
                      is_folder
                        ? fs::perms::owner_all
                        : fs::perms::owner_read | fs::perms::owner_write,
                      failed);
  }
  return failed;
}

bool same_bytes(const fs::path& one, const fs::path& other) {
  std::ifstream a{one, std::ios::binary};
  std::ifstream b{other, std::ios::binary};
  std::array<char, 1 << 16> here{};
  std::array<char, 1 << 16> there{};
  while (a && b) {
    a.read(here.data(), here.size());
    b.read(there.data(), there.size());
    if (a.gcount() != b.gcount()
        || !std::equal(here.begin(), here.begin() + a.gcount(), there.begin()))
      return false;
  }
  return a.eof() && b.eof();
}

bool same_entry(const fs::path& one, const fs::path& other) {
  std::error_code failed;
  const auto a = fs::symlink_status(one, failed);
  const auto b = fs::symlink_status(other, failed);
  return a.type() == b.type()
         && (fs::is_directory(a)
             || (fs::is_regular_file(a) && same_bytes(one, other)));
}

} // namespace

error interrupted(const fs::path& target) {
  return file_error(errc::io_failed, target,
                    "was not written: a signal came first", "interrupted");
}

staging_folder::staging_folder(fs::path target)
  : target_{std::move(target)},
    name_{(target_.has_filename() ? target_ : target_.parent_path()).string()
          + ".XXXXXX"} {
  // nop
}

staging_folder::~staging_folder() {
  std::error_code ignored;
  if (made_)
    fs::remove_all(name_, ignored);
}

result<void> staging_folder::make() {
  std::error_code failed;
  if (const auto parent = fs::path{name_}.parent_path(); !parent.empty())
    fs::create_directories(parent, failed);
  if (!failed) {
    made_ = ::mkdtemp(name_.data()) != nullptr;
    failed = made_ ? failed : std::error_code{errno, std::generic_category()};
  }
  if (failed)
    return fail(
      is_system_fault(failed)
        ? file_error(errc::io_failed, name_, "cannot be created", failed)
        : file_error(errc::usage, target_,
                     "cannot be created: " + failed.message()
                       + "; name another folder",
                     "out"));
  return {};
}

result<bool> staging_folder::become_target() {
  const auto in_the_way = [this] {
    return fail(file_error(errc::usage, target_,
                           "is there and has other content: name a new folder",
                           "target_not_empty"));
  };
  std::error_code failed;
  const auto status = fs::status(target_, failed);
  if (fs::exists(status) && !fs::is_directory(status))
    return in_the_way();
  if (fs::exists(status) && !fs::is_empty(target_, failed)) {
    const auto names = names_below(name_, failed);
    if (failed || names != names_below(target_, failed) || failed)
      return in_the_way();
    const bool same = std::ranges::all_of(names, [this](const auto& one) {
      return same_entry(name_ / one, target_ / one);
    });
    if (!same)
      return in_the_way();
    return false;
  }
  if (failed = make_private(name_); !failed)
    fs::rename(name_, target_, failed);
  if (failed)
    return fail(
      file_error(errc::io_failed, target_, "cannot be written", failed));
  made_ = false;
  return true;
}

} // namespace convene::host
