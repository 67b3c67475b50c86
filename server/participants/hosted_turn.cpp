#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/server/participants/hosted_turn.hpp>
#include <convene/server/participants/turn_message.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

namespace json = protocol::json;

/// Later ones of one turn, and notices: two for each attempt at an action.
constexpr std::size_t calls_max = 4'096;

protocol::reply too_long() {
  return {.status = protocol::reply_status::failed,
          .error = {.code = "turn_bytes_max",
                    .message = "the turn says more than a node sends to "
                               "another one: 8 MiB at once, or 64 MiB"}};
}

} // namespace

/// To the session, by the turn's lines. Weak: the turn has the live turn, which
/// has this.
class hosted_turn::link_to_owner final : public actors::turn_link {
public:
  explicit link_to_owner(std::weak_ptr<hosted_turn> to) : to_{std::move(to)} {}

  void write(protocol::reply what) override {
    say({{"write", protocol::encode(what)}});
  }
  void answer(protocol::reply what) override {
    if (const auto to = to_.lock())
      to->answer(what);
  }
  void cancel_session(const std::string& reason) override {
    say({{"cancel_session", reason}});
  }
  bool begin(protocol::action what, std::uint32_t attempt) override {
    say({{"begin", protocol::encode(what)}, {"attempt", attempt}});
    return false;
  }
  void end(std::string position, std::uint32_t attempt,
           protocol::action_result result) override {
    say({{"end", protocol::encode(result)},
         {"position", position},
         {"attempt", attempt}});
  }
  bool call_later(std::string position, std::uint64_t run,
                  std::int64_t delay_ms) override {
    const auto to = to_.lock();
    if (!to)
      return false;
    to->call_after(std::chrono::milliseconds{delay_ms},
                   [weak = to_, position, run] {
                     const auto turn = weak.lock();
                     const auto live = turn ? turn->live() : nullptr;
                     if (live)
                       live->actions().due(position, run);
                   });
    return true;
  }

private:
  void say(const json::object& what) {
    if (const auto to = to_.lock())
      to->say(what);
  }

  const std::weak_ptr<hosted_turn> to_;
};

class hosted_turn::turn_reader final : public stream_source {
public:
  explicit turn_reader(std::shared_ptr<hosted_turn> of) : of_{std::move(of)} {}
  turn_reader(const turn_reader&) = delete;
  turn_reader& operator=(const turn_reader&) = delete;
  ~turn_reader() override {
    of_->abandon();
  }

  [[nodiscard]] part read(std::size_t bytes_max,
                          std::function<void()> more) override {
    of_->run_due_calls();
    return of_->take(bytes_max, std::move(more));
  }

private:
  const std::shared_ptr<hosted_turn> of_;
};

std::shared_ptr<actors::turn_link> hosted_turn::link() {
  return std::make_shared<link_to_owner>(weak_from_this());
}

std::shared_ptr<stream_source> hosted_turn::reader() {
  return std::make_shared<turn_reader>(shared_from_this());
}

void hosted_turn::set_live(std::shared_ptr<actors::live_turn> live) {
  const std::lock_guard lock{mutex_};
  live_ = std::move(live);
}

std::shared_ptr<actors::live_turn> hosted_turn::live() const {
  const std::lock_guard lock{mutex_};
  return live_;
}

void hosted_turn::abandon() {
  std::shared_ptr<actors::live_turn> live;
  decltype(later_) calls;
  std::function<void()> more;
  bool is_answered = false;
  {
    const std::lock_guard lock{mutex_};
    is_abandoned_ = true;
    is_answered = is_answered_;
    live.swap(live_);
    calls.swap(later_);
    more.swap(more_);
    lines_ = {};
  }
  if (live && is_answered)
    live->finish();
  else if (live)
    live->close();
}

bool hosted_turn::is_new(std::uint64_t notice) {
  const std::lock_guard lock{mutex_};
  return notices_.size() < calls_max && notices_.insert(notice).second;
}

void hosted_turn::say(const json::object& what) {
  put(json::serialize(what), false);
}

void hosted_turn::answer(const protocol::reply& what) {
  put(json::serialize(json::object{{"answer", protocol::encode(what)}}), true);
}

void hosted_turn::answer_after(std::chrono::milliseconds time,
                               protocol::reply what) {
  if (time.count() <= 0)
    return answer(what);
  call_after(time, [weak = weak_from_this(), what = std::move(what)] {
    if (const auto self = weak.lock())
      self->answer(what);
  });
}

void hosted_turn::call_after(std::chrono::milliseconds time,
                             std::function<void()> call) {
  std::function<void()> more;
  {
    const std::lock_guard lock{mutex_};
    if (is_abandoned_ || later_.size() >= calls_max)
      return;
    later_.emplace(clock::now() + time, std::move(call));
    more = std::exchange(more_, {});
  }
  if (more) // it may be due before it would be read again
    more();
}

void hosted_turn::run_due_calls() {
  for (;;) {
    std::function<void()> call;
    {
      const std::lock_guard lock{mutex_};
      if (later_.empty() || later_.begin()->first > clock::now())
        return;
      call = std::move(later_.begin()->second);
      later_.erase(later_.begin());
    }
    call();
  }
}

void hosted_turn::put(const std::string& text, bool is_last) {
  if (text.size() > line_bytes_max)
    return answer(too_long());
  std::function<void()> more;
  bool is_too_much = false;
  {
    const std::lock_guard lock{mutex_};
    if (is_answered_ || is_abandoned_)
      return;
    is_too_much = !is_last && bytes_ + text.size() > turn_bytes_max;
    if (!is_too_much) {
      bytes_ += text.size();
      lines_ += sign_line(key_, token_, said_++, text);
      lines_ += '\n';
      is_answered_ = is_last;
      more = std::exchange(more_, {});
    }
  }
  if (is_too_much)
    return answer(too_long());
  if (more)
    more();
}

stream_source::part hosted_turn::take(std::size_t bytes_max,
                                      std::function<void()> more) {
  stream_source::part made;
  const std::lock_guard lock{mutex_};
  const auto now = clock::now();
  if (lines_.empty() && !is_answered_ && now - shown_at_ >= life_time)
    lines_ = sign_of_life;
  if (!lines_.empty())
    shown_at_ = now;
  made.bytes = lines_.substr(0, bytes_max);
  lines_.erase(0, made.bytes.size());
  made.is_last = is_answered_ && lines_.empty();
  if (!made.bytes.empty() || made.is_last)
    return made;
  more_ = std::move(more);
  auto next = shown_at_ + life_time;
  if (!later_.empty())
    next = std::min(next, later_.begin()->first);
  made.again_after
    = std::max(std::chrono::ceil<std::chrono::milliseconds>(next - now),
               std::chrono::milliseconds{1});
  return made;
}

} // namespace convene::server
