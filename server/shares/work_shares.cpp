#include <convene/server/shares/work_shares.hpp>

namespace convene::server {

using protocol::result;

work_shares::share::share(std::shared_ptr<held> key, std::shared_ptr<held> all,
                          std::size_t most)
  : key_{std::move(key)}, all_{std::move(all)}, most_{most} {
  ++key_->count;
  ++all_->count;
}

void work_shares::share::release() noexcept {
  const auto bytes = bytes_.exchange(0);
  key_->bytes -= bytes;
  all_->bytes -= bytes;
  if (is_released_.exchange(true))
    return;
  --key_->count;
  --all_->count;
}

void work_shares::share::grow(std::size_t bytes) noexcept {
  bytes_ += bytes;
  key_->bytes += bytes;
  all_->bytes += bytes;
}

result<std::shared_ptr<work_shares::share>>
work_shares::take(const std::string& key, std::size_t bytes) {
  const auto full = [&](const std::string& rule, const char* whose) {
    return protocol::fail(protocol::errc::limit_reached,
                          "as many " + what_ + " are open " + whose
                            + ", or as large ones, as this server takes; try "
                              "again once some have ended",
                          rule);
  };
  const std::lock_guard lock{mutex_};
  const auto fits = [bytes](std::size_t held, std::size_t most) {
    return held < most && bytes <= most - held;
  };
  if (!fits(all_->bytes, limits_.bytes_max))
    return full(what_ + "_bytes_max", "here");
  if (key.empty())
    return take_anyway();
  auto& of = keys_[key];
  if (!of)
    of = std::make_shared<held>();
  if (of->count >= limits_.key_max)
    return full("key_" + what_ + "_max", "for this key");
  if (!fits(of->bytes, limits_.key_bytes_max))
    return full("key_" + what_ + "_bytes_max", "for this key");
  return std::make_shared<share>(of, all_, limits_.key_bytes_max);
}

std::shared_ptr<work_shares::share> work_shares::take_anyway() {
  return std::make_shared<share>(std::make_shared<held>(), all_, 0);
}

} // namespace convene::server
