#include <convene/actors/behaviours/live_turn.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/session/options/options.hpp>

#include <future>
#include <string>
#include <utility>

namespace convene::actors {
namespace {

/// For a live turn without a session.
class sender_link final : public turn_link {
public:
  explicit sender_link(live_turn::sender send) : send_(std::move(send)) {}

  void write(protocol::reply what) override {
    send_(std::move(what));
  }
  void answer(protocol::reply what) override {
    send_(std::move(what));
  }
  bool begin(protocol::action, std::uint32_t) override {
    return true;
  }
  void end(std::string, std::uint32_t, protocol::action_result) override {
    // nop
  }
  bool call_later(std::string, std::uint64_t, std::int64_t) override {
    return false;
  }

private:
  live_turn::sender send_;
};

/// What tells apart those who have a request of the same token.
std::string receiver_in(const session::request& asked,
                        session::participant_index self) {
  return asked.kind == session::request_kind::broadcast
           ? '/' + std::to_string(self)
           : std::string{};
}

/// The reply, without what must not be repeated.
protocol::reply
masked(protocol::reply what,
       const std::shared_ptr<const protocol::known_secrets>& secrets) {
  if (!secrets)
    return what;
  secrets->mask(what.error.code);
  secrets->mask(what.error.message);
  protocol::json::value whole = protocol::encode(what);
  if (!secrets->mask(whole))
    return what;
  auto made = protocol::decode_reply(whole);
  if (!made)
    return {.status = protocol::reply_status::failed,
            .error = {.code = "secret_repeated",
                      .message = "the reply repeats a secret in a place where "
                                 "it cannot be masked"}};
  made->error = std::move(what.error);
  return *std::move(made);
}

} // namespace

live_turn::live_turn(std::shared_ptr<turn_link> link,
                     session::participant_index self,
                     const session::request& asked, std::int64_t left_ms,
                     attempt_tracer trace)
  : link_(std::move(link)),
    actions_(std::make_shared<turn_actions>(
      link_, asked.token, receiver_in(asked, self), asked.actions,
      turn_actions::clock::now() + std::chrono::milliseconds{left_ms},
      std::move(trace))) {
  // nop
}

live_turn::live_turn(sender send)
  : live_turn(std::make_shared<sender_link>(std::move(send)),
              session::no_participant, {}, session::duration_ms_max) {
  // nop
}

bool live_turn::attempt(protocol::reply what) {
  std::shared_ptr<const protocol::known_secrets> secrets;
  {
    const std::lock_guard held{mutex_};
    if (over_ || answered_ || attempts_ == attempts_max)
      return false;
    ++attempts_;
    secrets = secrets_;
  }
  link_->write(masked(std::move(what), secrets));
  return true;
}

bool live_turn::write(protocol::resource_write what) {
  protocol::reply carrier;
  carrier.writes.push_back(std::move(what));
  return attempt(std::move(carrier));
}

bool live_turn::claim(protocol::claim what) {
  protocol::reply carrier;
  carrier.claim.push_back(std::move(what));
  return attempt(std::move(carrier));
}

bool live_turn::answer(protocol::reply what) {
  std::map<std::size_t, std::function<void()>> none; // goes without the lock
  std::shared_ptr<const protocol::known_secrets> secrets;
  {
    const std::lock_guard held{mutex_};
    if (over_ || answered_)
      return false;
    answered_ = true;
    secrets = secrets_;
    none.swap(then_);
  }
  actions_->over();
  link_->answer(masked(std::move(what), secrets));
  return true;
}

void live_turn::cancel_session(std::string reason) {
  {
    const std::lock_guard held{mutex_};
    if (secrets_)
      secrets_->mask(reason);
  }
  link_->cancel_session(reason);
}

void live_turn::act(protocol::action what, retry_policy retry,
                    attempt_function how, when_acted then) {
  actions_->act(std::move(what), retry, std::move(how), std::move(then));
}

void live_turn::act(const executor& by, std::string position,
                    protocol::json::value arguments, when_acted then) {
  auto what = action_of(by, std::move(position), std::move(arguments));
  auto how = attempts_of(by, what);
  actions_->act(std::move(what), by.retry, std::move(how), std::move(then),
                attempt_end::by_timer);
}

protocol::action_result
live_turn::act_and_wait(const executor& by, std::string position,
                        protocol::json::value arguments) {
  auto promise = std::make_shared<std::promise<protocol::action_result>>();
  auto result = promise->get_future();
  act(by, std::move(position), std::move(arguments),
      [kept = std::move(promise)](protocol::action_result got) {
        kept->set_value(std::move(got));
      });
  try {
    return result.get();
  } catch (const std::future_error&) {
    // Whoever would have kept the promise is gone with the turn.
    return {.status = protocol::action_status::cancelled,
            .error = {.code = "turn_over",
                      .message = "the turn was over before the action was"}};
  }
}

void live_turn::mask(std::shared_ptr<const protocol::known_secrets> secrets) {
  actions_->mask(secrets);
  const std::lock_guard held{mutex_};
  secrets_ = std::move(secrets);
}

bool live_turn::is_over() const {
  const std::lock_guard held{mutex_};
  return over_;
}

std::size_t live_turn::when_over(std::function<void()> then) {
  {
    const std::lock_guard held{mutex_};
    if (!over_) {
      then_.emplace(++last_number_, std::move(then));
      return last_number_;
    }
  }
  then();
  return 0;
}

void live_turn::forget(std::size_t number) {
  const std::lock_guard held{mutex_};
  then_.erase(number);
}

void live_turn::close() {
  std::map<std::size_t, std::function<void()>> all;
  {
    const std::lock_guard held{mutex_};
    over_ = true;
    all = std::exchange(then_, {});
  }
  actions_->over();
  for (const auto& [number, then] : all)
    then();
}

void live_turn::finish() {
  std::map<std::size_t, std::function<void()>> none; // goes without the lock
  {
    const std::lock_guard held{mutex_};
    answered_ = true;
    none.swap(then_);
  }
  actions_->over();
}

} // namespace convene::actors
