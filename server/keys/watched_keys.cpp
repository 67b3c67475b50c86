#include <convene/server/keys/watched_keys.hpp>
#include <spdlog/spdlog.h>

#include <tuple>
#include <utility>

namespace convene::server {
namespace {

std::optional<struct stat> signature_of(const std::filesystem::path& file) {
  struct stat now {};
  return ::stat(file.c_str(), &now) == 0 ? std::optional{now} : std::nullopt;
}

auto parts_of(const struct stat& of) {
  return std::tuple{of.st_dev,         of.st_ino,          of.st_size,
                    of.st_mtim.tv_sec, of.st_mtim.tv_nsec, of.st_ctim.tv_sec,
                    of.st_ctim.tv_nsec};
}

bool is_same(const std::optional<struct stat>& one,
             const std::optional<struct stat>& other) {
  if (!one || !other)
    return one.has_value() == other.has_value();
  return parts_of(*one) == parts_of(*other);
}

} // namespace

watched_keys::watched_keys(std::filesystem::path file)
  : file_{std::move(file)} {}

protocol::result<std::unique_ptr<watched_keys>>
watched_keys::open(std::filesystem::path file) {
  std::unique_ptr<watched_keys> made{new watched_keys{std::move(file)}};
  // Before it is read: a change in between is seen by the next look.
  made->seen_ = signature_of(made->file_);
  auto keys = read_keys(made->file_);
  if (!keys)
    return protocol::fail(std::move(keys).error());
  made->ring_ = std::make_shared<const key_ring>(*std::move(keys));
  return made;
}

std::shared_ptr<const key_ring> watched_keys::ring() const {
  const std::lock_guard lock{mutex_};
  return ring_;
}

std::optional<caller> watched_keys::find(std::string_view key) const {
  return ring()->find(key);
}

bool watched_keys::holds(const caller& who) const {
  return ring()->holds(who);
}

bool watched_keys::refresh() {
  const auto now = signature_of(file_);
  {
    const std::lock_guard lock{mutex_};
    if (is_same(seen_, now))
      return false;
    seen_ = now;
  }
  auto keys = read_keys(file_);
  const std::lock_guard lock{mutex_};
  if (!keys) {
    seen_.reset(); // what failed may pass, and keys be revoked all the same
    auto why = to_string(keys.error());
    if (why != told_)
      spdlog::error("the keys are as before, since their file cannot be read: "
                    "{}",
                    why);
    told_ = std::move(why);
    return false;
  }
  told_.clear();
  ring_ = std::make_shared<const key_ring>(*std::move(keys));
  return true;
}

} // namespace convene::server
