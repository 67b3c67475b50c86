#include <convene/runtime/log/event_log/storage.hpp>
#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;

auto failed() {
  return tl::unexpected<int>{errno};
}

/// Calls `call` until no signal interrupts it; its -1 is an error.
template <class Call>
auto retry(Call call) {
  auto answer = call();
  while (answer == -1 && errno == EINTR)
    answer = call();
  return answer;
}

template <class Call>
io_result<void> done(Call call) {
  if (retry(call) == -1)
    return failed();
  return {};
}

template <class Call>
io_result<std::size_t> counted(Call call) {
  const auto count = retry(call);
  if (count == -1)
    return failed();
  return static_cast<std::size_t>(count);
}

off_t to_offset(std::uint64_t at) {
  return static_cast<off_t>(at);
}

class posix_file final : public stored_file {
public:
  explicit posix_file(descriptor file) : file_{std::move(file)} {}

  io_result<std::uint64_t> size() override {
    struct stat about {};
    if (::fstat(file_.get(), &about) != 0)
      return failed();
    return static_cast<std::uint64_t>(about.st_size);
  }

  io_result<std::size_t> read_at(std::uint64_t offset,
                                 std::span<char> into) override {
    return counted([&] {
      return ::pread(file_.get(), into.data(), into.size(), to_offset(offset));
    });
  }

  io_result<std::size_t> write_at(std::uint64_t offset,
                                  std::string_view bytes) override {
    return counted([&] {
      return ::pwrite(file_.get(), bytes.data(), bytes.size(),
                      to_offset(offset));
    });
  }

  void begin_sync(std::uint64_t offset, std::uint64_t bytes) override {
    static_cast<void>(::sync_file_range(
      file_.get(), to_offset(offset), to_offset(bytes), SYNC_FILE_RANGE_WRITE));
  }

  io_result<void> sync() override {
    // Some devices have nothing to sync, which they say by EINVAL.
    const auto synced = done([&] { return ::fdatasync(file_.get()); });
    if (!synced && synced.error() == EINVAL && is_device())
      return {};
    return synced;
  }

  io_result<void> truncate(std::uint64_t size) override {
    return done([&] { return ::ftruncate(file_.get(), to_offset(size)); });
  }

  io_result<void> preallocate(std::uint64_t offset,
                              std::uint64_t end) override {
    return done([&] {
      return ::fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, to_offset(offset),
                         to_offset(end - offset));
    });
  }

  io_result<void> close() override {
    if (!file_.close())
      return failed();
    return {};
  }

private:
  bool is_device() const {
    struct stat about {};
    return ::fstat(file_.get(), &about) == 0 && S_ISCHR(about.st_mode);
  }

  descriptor file_;
};

class posix_lock final : public storage_lock {
public:
  explicit posix_lock(descriptor file) : file_{std::move(file)} {}

private:
  descriptor file_;
};

class posix final : public storage {
public:
  io_result<std::unique_ptr<stored_file>> open(const fs::path& path) override {
    auto file = open_file(path);
    struct stat about {};
    if (!file || ::fstat(file.get(), &about) != 0)
      return failed();
    if (!S_ISREG(about.st_mode) && !S_ISCHR(about.st_mode))
      return tl::unexpected{EINVAL};
    return std::make_unique<posix_file>(std::move(file));
  }

  io_result<std::unique_ptr<storage_lock>> lock(const fs::path& path) override {
    auto file = open_file(path);
    if (!file)
      return failed();
    struct stat about {};
    // Devices are everybody's.
    const bool is_shared = ::fstat(file.get(), &about) == 0
                           && !S_ISREG(about.st_mode);
    if (!is_shared
        && retry([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) != 0)
      return failed();
    return std::make_unique<posix_lock>(std::move(file));
  }

  io_result<std::vector<std::string>> list(const fs::path& folder) override {
    std::vector<std::string> names;
    std::error_code code;
    fs::directory_iterator entry{folder, code};
    for (; !code && entry != fs::directory_iterator{}; entry.increment(code))
      names.push_back(entry->path().filename().string());
    if (code)
      return tl::unexpected{code.value()};
    return names;
  }

  io_result<void> remove(const fs::path& file) override {
    const auto gone = done([&] { return ::unlink(file.c_str()); });
    if (!gone && gone.error() == ENOENT)
      return {};
    return gone;
  }

  io_result<void> make_folder(const fs::path& folder) override {
    const auto made = done([&] { return ::mkdir(folder.c_str(), 0700); });
    if (!made && made.error() == EEXIST)
      return {};
    return made;
  }

  io_result<void> sync_folder(const fs::path& folder) override {
    const auto open = open_reserved(folder.empty() ? "." : folder,
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!open)
      return failed();
    const auto synced = done([&] { return ::fsync(open.get()); });
    // Some file systems cannot sync folders.
    if (!synced && synced.error() == EINVAL)
      return {};
    return synced;
  }

private:
  /// O_NONBLOCK: opening a pipe that nobody reads must not wait.
  static descriptor open_file(const fs::path& path) {
    return open_reserved(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  }
};

} // namespace

storage& posix_storage() {
  // Never destroyed: a runtime may use it while the program ends.
  static auto& only = *new posix;
  return only;
}

} // namespace convene::host
