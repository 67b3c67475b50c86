#pragma once

#include <convene/runtime/log/event_log/storage.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>

namespace convene::host {

/// A disk in memory that fails when it is told to. What was written and not
/// synced is apart from what is on the disk: a power cut keeps any of its
/// sectors and any size in between. Thread-safe.
///
/// As with a real kernel, a sync that fails forgets what it should have
/// written: the next one succeeds without it, though reading still shows it.
class frail_storage final : public storage {
  struct file_state {
    std::string seen;            // what programs read
    std::string kept;            // what is on the disk
    std::set<std::size_t> dirty; // sectors that the next sync writes
    bool exists = false;         // it has been made, and not taken away
    bool name_kept = false;      // its name is in the folder on the disk

    bool operator==(const file_state&) const = default;
  };

public:
  enum class call {
    open,
    lock,
    list,
    remove,
    sync_folder,
    size,
    read,
    write,
    sync,
    truncate,
    preallocate,
    close,
  };

  explicit frail_storage(std::uint64_t seed) : random_{seed} {}

  /// The power goes in the n-th call from now (from 1), before or after it has
  /// done its work: it and all later ones fail until `power_up`.
  void cut_power_at(std::uint64_t n);

  /// The n-th call from now fails with `number`, and so do all others of its
  /// kind after it, if `for_good`; until `restart` or `power_up`.
  void fail_at(std::uint64_t n, int number, bool for_good);

  /// Writes take only a part of what they are given, now and then.
  void write_short(bool on) {
    short_writes_ = on;
  }

  /// What happens in a call, besides its work.
  struct fate {
    bool power_goes = false; ///< before or after it has done its work
    int error = 0;           ///< errno; 0: it does not fail
  };

  /// Is asked in each call, inside the lock, what happens.
  void decide(std::function<fate(call what)> by) {
    decide_ = std::move(by);
  }

  /// Called at the begin of each sync, outside the lock, so that it may wait.
  void before_sync(std::function<void()> what) {
    before_sync_ = std::move(what);
  }

  /// The process has gone and comes again: locks and failures end, what the
  /// kernel holds stays.
  void restart();

  /// All that follows fails, as in a process that is being killed, until
  /// `restart`.
  void freeze();

  /// The same after a power cut (now, if there was none): what was not synced
  /// is gone, or not.
  void power_up();

  [[nodiscard]] bool is_dead() const;
  [[nodiscard]] std::uint64_t calls() const;

  /// What the n-th call of all was; to say which one failed.
  [[nodiscard]] call kind_of(std::uint64_t n) const;

  /// What programs read, and what is on the disk.
  [[nodiscard]] std::string content(const std::filesystem::path& file) const;
  [[nodiscard]] std::string on_disk(const std::filesystem::path& file) const;
  /// The names of files that are there.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  void set_content(const std::filesystem::path& file, const std::string& bytes);

  /// The file is gone, as if it had never been there. Nobody has it open.
  void take_away(const std::filesystem::path& file);

  /// All files as they are at a moment, synced or not.
  class image {
  public:
    bool operator==(const image&) const = default;

  private:
    friend class frail_storage;
    std::map<std::filesystem::path, file_state> files_;
  };

  [[nodiscard]] image copy() const;
  /// Makes everything what it was then. Nobody has a file open.
  void put_back(const image& then);

  io_result<std::unique_ptr<stored_file>>
  open(const std::filesystem::path& file) override;
  io_result<std::unique_ptr<storage_lock>>
  lock(const std::filesystem::path& file) override;
  io_result<std::vector<std::string>>
  list(const std::filesystem::path& folder) override;
  io_result<void> remove(const std::filesystem::path& file) override;
  /// Folders are always there.
  io_result<void> make_folder(const std::filesystem::path&) override {
    return {};
  }
  io_result<void> sync_folder(const std::filesystem::path& folder) override;

private:
  class open_file;
  class held_lock;

  using guard = std::unique_lock<std::mutex>;

  /// Counts the call. An error: it fails. Else it is carried out, and then
  /// `after` decides whether its caller hears of it.
  io_result<void> before(call what);
  io_result<void> after();
  template <class Do>
  auto act(call what, Do action) -> io_result<decltype(action())>;
  void write(file_state& file, std::size_t offset, std::string_view bytes);
  void sync(file_state& file);
  void lose_power();
  std::size_t draw(std::size_t bound);

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::map<std::filesystem::path, file_state> files_;
  std::set<std::filesystem::path> locks_;
  std::function<void()> before_sync_;
  std::function<fate(call)> decide_;
  std::vector<call> calls_;
  std::uint64_t cut_at_ = 0;
  std::uint64_t fail_at_ = 0;
  std::optional<call> failing_; // for good
  int error_ = 0;
  bool fail_for_good_ = false;
  bool short_writes_ = false;
  bool dying_ = false; // the power goes at the end of this call
  bool dead_ = false;
  bool frozen_ = false;
};

} // namespace convene::host
