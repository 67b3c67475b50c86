#include <convene/lab/frail_storage/frail_storage.hpp>
#include <convene/lab/frail_storage/tear.hpp>

#include <cerrno>
#include <type_traits>

namespace convene::host {

namespace fs = std::filesystem;

namespace {

auto error(int number) {
  return tl::unexpected<int>{number};
}

} // namespace

/// Carries a call out, unless it is one that fails.
template <class Do>
auto frail_storage::act(call what, Do action) -> io_result<decltype(action())> {
  const guard lock{mutex_};
  if (const auto fails = before(what); !fails)
    return error(fails.error());
  if constexpr (std::is_void_v<decltype(action())>) {
    action();
    return after();
  } else {
    auto answer = action();
    if (const auto heard = after(); !heard)
      return error(heard.error());
    return answer;
  }
}

class frail_storage::held_lock final : public storage_lock {
public:
  held_lock(frail_storage& whole, fs::path path)
    : whole_{whole}, path_{std::move(path)} {}

  ~held_lock() override {
    const guard lock{whole_.mutex_};
    whole_.locks_.erase(path_);
  }

private:
  frail_storage& whole_;
  fs::path path_;
};

class frail_storage::open_file final : public stored_file {
public:
  open_file(frail_storage& whole, file_state& file)
    : whole_{whole}, file_{file} {}

  io_result<std::uint64_t> size() override {
    return whole_.act(call::size,
                      [&] { return std::uint64_t{file_.seen.size()}; });
  }

  io_result<std::size_t> read_at(std::uint64_t offset,
                                 std::span<char> into) override {
    return whole_.act(call::read, [&] {
      return offset < file_.seen.size()
               ? file_.seen.copy(into.data(), into.size(), offset)
               : 0;
    });
  }

  io_result<std::size_t> write_at(std::uint64_t offset,
                                  std::string_view bytes) override {
    return whole_.act(call::write, [&] {
      if (whole_.short_writes_ && whole_.draw(3) == 0)
        bytes = bytes.substr(0, 1 + whole_.draw(bytes.size()));
      whole_.write(file_, offset, bytes);
      return bytes.size();
    });
  }

  io_result<void> sync() override {
    if (whole_.before_sync_)
      whole_.before_sync_();
    const guard lock{whole_.mutex_};
    if (auto fails = whole_.before(call::sync); !fails) {
      if (!whole_.dead_)
        file_.dirty.clear();
      return fails;
    }
    whole_.sync(file_);
    return whole_.after();
  }

  io_result<void> truncate(std::uint64_t size) override {
    return whole_.act(call::truncate, [&] {
      file_.seen.resize(size, '\0');
      file_.dirty.insert(size / sector);
    });
  }

  io_result<void> preallocate(std::uint64_t, std::uint64_t) override {
    return whole_.act(call::preallocate, [] {});
  }

  io_result<void> close() override {
    return whole_.act(call::close, [] {});
  }

private:
  frail_storage& whole_;
  file_state& file_;
};

std::size_t frail_storage::draw(std::size_t bound) {
  return random_() % bound;
}

void frail_storage::cut_power_at(std::uint64_t n) {
  const guard lock{mutex_};
  cut_at_ = calls_.size() + n;
}

void frail_storage::fail_at(std::uint64_t n, int number, bool for_good) {
  const guard lock{mutex_};
  fail_at_ = calls_.size() + n;
  error_ = number;
  fail_for_good_ = for_good;
}

bool frail_storage::is_dead() const {
  const guard lock{mutex_};
  return dead_;
}

std::uint64_t frail_storage::calls() const {
  const guard lock{mutex_};
  return calls_.size();
}

frail_storage::call frail_storage::kind_of(std::uint64_t n) const {
  const guard lock{mutex_};
  return calls_.at(n - 1);
}

std::string frail_storage::content(const fs::path& file) const {
  const guard lock{mutex_};
  const auto found = files_.find(file);
  return found == files_.end() || !found->second.exists ? std::string{}
                                                        : found->second.seen;
}

std::vector<fs::path> frail_storage::files() const {
  const guard lock{mutex_};
  std::vector<fs::path> there;
  for (const auto& [path, file] : files_)
    if (file.exists)
      there.push_back(path);
  return there;
}

std::string frail_storage::on_disk(const fs::path& file) const {
  const guard lock{mutex_};
  const auto found = files_.find(file);
  return found == files_.end() ? std::string{} : found->second.kept;
}

void frail_storage::set_content(const fs::path& file,
                                const std::string& bytes) {
  const guard lock{mutex_};
  files_[file]
    = {.seen = bytes, .kept = bytes, .exists = true, .name_kept = true};
}

void frail_storage::take_away(const fs::path& file) {
  const guard lock{mutex_};
  files_.erase(file);
}

frail_storage::image frail_storage::copy() const {
  const guard lock{mutex_};
  image now;
  now.files_ = files_;
  return now;
}

void frail_storage::put_back(const image& then) {
  const guard lock{mutex_};
  files_ = then.files_;
}

void frail_storage::freeze() {
  const guard lock{mutex_};
  frozen_ = true;
}

void frail_storage::restart() {
  const guard lock{mutex_};
  frozen_ = false;
  locks_.clear();
  cut_at_ = fail_at_ = 0;
  failing_.reset();
  dying_ = false;
}

void frail_storage::power_up() {
  restart();
  const guard lock{mutex_};
  if (!dead_)
    lose_power();
  dead_ = false;
}

io_result<void> frail_storage::before(call what) {
  calls_.push_back(what);
  if (dead_ || frozen_)
    return error(EIO);
  const auto decided = decide_ ? decide_(what) : fate{};
  if (calls_.size() == cut_at_ || decided.power_goes) {
    if (draw(2) == 0) {
      lose_power();
      return error(EIO);
    }
    dying_ = true;
  }
  if (calls_.size() == fail_at_ || failing_ == what) {
    if (fail_for_good_)
      failing_ = what;
    return error(error_);
  }
  if (decided.error != 0)
    return error(decided.error);
  return {};
}

io_result<void> frail_storage::after() {
  if (!dying_)
    return {};
  lose_power();
  return error(EIO);
}

void frail_storage::write(file_state& file, std::size_t offset,
                          std::string_view bytes) {
  if (file.seen.size() < offset + bytes.size())
    file.seen.resize(offset + bytes.size(), '\0');
  file.seen.replace(offset, bytes.size(), bytes);
  for (auto at = offset / sector; at * sector < offset + bytes.size(); ++at)
    file.dirty.insert(at);
}

void frail_storage::sync(file_state& file) {
  file.kept.resize((file.seen.size() / sector + 1) * sector, '\0');
  for (const auto number : file.dirty)
    if (number * sector < file.kept.size())
      file.kept.replace(number * sector, sector, sector_of(file.seen, number));
  file.kept.resize(file.seen.size());
  file.dirty.clear();
}

void frail_storage::lose_power() {
  dead_ = true;
  dying_ = false;
  for (auto& [path, file] : files_) {
    // What the folder on the disk does not know can come or go.
    if (file.exists != file.name_kept)
      file.exists = file.name_kept = draw(2) == 0;
    if (!file.exists) {
      file = {}; // gone, but for those who have it open
      continue;
    }
    file.seen = file.kept = tear(file.kept, file.seen, file.dirty, random_);
    file.dirty.clear();
  }
}

io_result<std::unique_ptr<stored_file>>
frail_storage::open(const fs::path& file) {
  return act(call::open, [&]() -> std::unique_ptr<stored_file> {
    auto& state = files_[file];
    if (!state.exists)
      state = {.exists = true};
    return std::make_unique<open_file>(*this, state);
  });
}

io_result<std::unique_ptr<storage_lock>>
frail_storage::lock(const fs::path& file) {
  const guard held{mutex_};
  if (const auto fails = before(call::lock); !fails)
    return error(fails.error());
  if (!locks_.insert(file).second)
    return error(EWOULDBLOCK);
  return std::make_unique<held_lock>(*this, file);
}

io_result<std::vector<std::string>>
frail_storage::list(const fs::path& folder) {
  const guard lock{mutex_};
  if (const auto fails = before(call::list); !fails)
    return error(fails.error());
  std::vector<std::string> names;
  for (const auto& [path, file] : files_)
    if (path.parent_path() == folder && file.exists)
      names.push_back(path.filename().string());
  return names;
}

io_result<void> frail_storage::remove(const fs::path& file) {
  return act(call::remove, [&] {
    if (const auto found = files_.find(file); found != files_.end())
      found->second.exists = false;
  });
}

io_result<void> frail_storage::sync_folder(const fs::path& folder) {
  return act(call::sync_folder, [&] {
    for (auto& [path, file] : files_)
      if (path.parent_path() == folder)
        file.name_kept = file.exists;
  });
}

} // namespace convene::host
