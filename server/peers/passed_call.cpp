#include <convene/server/peers/passed_call.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

constexpr int misdirected = 421;

/// What concerns one connection only, or what each server adds itself.
bool is_of_hop(std::string_view name) {
  constexpr std::array<std::string_view, 14> own{"connection",
                                                 "content-length",
                                                 "content-type",
                                                 "date",
                                                 "keep-alive",
                                                 "proxy-authenticate",
                                                 "te",
                                                 "trailer",
                                                 "transfer-encoding",
                                                 "upgrade",
                                                 "vary",
                                                 "x-accel-buffering",
                                                 "x-content-type-options",
                                                 "x-request-id"};
  return std::ranges::find(own, name) != own.end()
         || name.starts_with("access-control-");
}

/// Unset: it is not said.
std::optional<std::size_t> length_of(std::string_view value) {
  std::size_t bytes = 0;
  const auto* const end = value.data() + value.size();
  const auto [at, failed] = std::from_chars(value.data(), end, bytes);
  if (failed != std::errc{} || at != end)
    return std::nullopt;
  return bytes;
}

} // namespace

/// Ends the call when the connection lets it go.
class passed_call::reader : public stream_source {
public:
  explicit reader(std::shared_ptr<passed_call> of) : of_{std::move(of)} {}
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader() override {
    of_->abandon();
  }

  [[nodiscard]] part read(std::size_t bytes_max,
                          std::function<void()> more) override {
    return of_->take(bytes_max, std::move(more));
  }

  [[nodiscard]] bool shows_life() const override {
    return true; // the other server's, which may be in any place
  }

private:
  const std::shared_ptr<passed_call> of_;
};

std::shared_ptr<passed_call>
passed_call::begin(host::http_client& by, host::http_request what,
                   std::size_t bytes_max, outcome then) {
  const std::shared_ptr<passed_call> made{
    new passed_call{what.method == "GET", bytes_max, std::move(then)}};
  what.takes_errors = true;
  what.body_bytes_max = INT64_MAX; // `bytes_max` counts for what is kept
  what.on_head = [made](int status, const auto& headers) {
    made->hear_head(status, headers);
  };
  what.on_data = [made](std::string_view data) { return made->hear(data); };
  what.has_room = [made] { return made->has_room(); };
  auto control = by.begin(std::move(what),
                          [made](const auto& how) { made->end(how); });
  bool is_abandoned = false;
  bool has_taken = false;
  {
    const std::lock_guard lock{made->mutex_};
    is_abandoned = made->is_abandoned_;
    has_taken = made->has_taken_;
    made->control_ = control;
  }
  if (has_taken)
    control.go_on();
  if (is_abandoned)
    control.cancel();
  return made;
}

void passed_call::abandon() {
  std::function<void()> cancel;
  {
    const std::lock_guard lock{mutex_};
    is_abandoned_ = true;
    more_ = {};
    held_ = {};
    cancel = control_.cancel;
  }
  if (cancel)
    cancel();
}

void passed_call::hear_head(int status,
                            const std::vector<host::http_header>& headers) {
  std::optional<std::size_t> length;
  response begun{.status = static_cast<unsigned>(status), .content_type = {}};
  for (const auto& [name, value] : headers) {
    if (name == "content-type")
      begun.content_type = value;
    else if (name == "content-length")
      length = length_of(value);
    if (!is_of_hop(name))
      begun.headers.emplace_back(name, value);
  }
  const bool is_long = !length || *length > whole_bytes_max;
  const bool has_body = status != 204 && status != misdirected;
  {
    const std::lock_guard lock{mutex_};
    answer_ = begun;
    is_stream_ = may_stream_ && is_long && has_body;
    if (!is_stream_)
      return;
  }
  begun.stream = std::make_shared<reader>(shared_from_this());
  then_.answer(std::move(begun));
}

bool passed_call::has_room() const {
  const std::lock_guard lock{mutex_};
  return !is_stream_ || is_abandoned_ || held_.size() < held_bytes_max;
}

bool passed_call::hear(std::string_view data) {
  std::function<void()> more;
  {
    const std::lock_guard lock{mutex_};
    if (!is_stream_) {
      is_too_long_ = answer_.body.size() + data.size() > bytes_max_;
      if (!is_too_long_)
        answer_.body.append(data);
      return !is_too_long_;
    }
    if (is_abandoned_)
      return false;
    held_.append(data);
    more = std::exchange(more_, {});
  }
  if (more)
    more();
  return true;
}

void passed_call::end(const host::http_answer& how) {
  std::function<void()> more;
  response whole;
  bool is_stream = false;
  bool is_whole = how.is_ok();
  {
    const std::lock_guard lock{mutex_};
    has_ended_ = true;
    is_stream = is_stream_;
    is_whole = is_whole && !is_too_long_;
    is_cut_ = !is_whole;
    more = std::exchange(more_, {});
    if (!is_stream)
      whole = std::move(answer_);
    if (is_abandoned_)
      return;
  }
  if (is_stream) {
    if (!is_whole)
      then_.cut();
    if (more)
      more();
    return;
  }
  if (is_whole && how.status != misdirected)
    return then_.answer(std::move(whole));
  then_.fail({.status = how.status,
              .code = is_whole      ? "misdirected"
                      : how.is_ok() ? "answer_bytes_max"
                                    : how.error.code,
              .message = how.error.message});
}

stream_source::part passed_call::take(std::size_t bytes_max,
                                      std::function<void()> more) {
  std::function<void()> go_on;
  stream_source::part made;
  {
    const std::lock_guard lock{mutex_};
    if (held_.size() <= bytes_max) {
      made.bytes = std::exchange(held_, {});
    } else {
      made.bytes = held_.substr(0, bytes_max);
      held_.erase(0, bytes_max);
    }
    has_taken_ = true;
    if (!made.bytes.empty())
      go_on = control_.go_on;
    else if (!has_ended_)
      more_ = std::move(more);
    if (has_ended_ && held_.empty()) {
      made.is_last = !is_cut_;
      made.is_cut = is_cut_ && made.bytes.empty();
    }
  }
  if (go_on)
    go_on();
  return made;
}

} // namespace convene::server
