#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/a2a.hpp>
#include <convene/runtime/outside/participants/a2a_attempt.hpp>
#include <convene/runtime/outside/participants/a2a_message.hpp>
#include <convene/runtime/outside/participants/a2a_remote.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>

#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

/// How often a turn sends its message anew, because suspensions cancelled its
/// tasks.
constexpr int rounds_max = 16;

/// One turn, as its actions lead from one to the next.
class a2a_turn : public std::enable_shared_from_this<a2a_turn> {
public:
  a2a_turn(std::shared_ptr<a2a_remote> agent, std::string provider,
           const actors::turn_request& asked)
    : agent_(std::move(agent)), provider_(std::move(provider)),
      task_(asked.task), live_(asked.live),
      message_(message_for(agent_->settings(), asked)),
      question_(question_of(to_json(asked, agent_->settings().workspace))) {
    // nop
  }

  void begin() {
    live_->when_over([self = shared_from_this()] { self->let_go(); });
    send();
  }

private:
  void send() {
    ++round_;
    const auto& how = agent_->settings();
    protocol::action what{.position = std::to_string(round_) + ".0",
                          .kind = protocol::action_kind::http,
                          .name = provider_,
                          .arguments
                          = json::object{{"method", "POST"},
                                         {"operation", "message:send"},
                                         {"task", task_}},
                          .repeatable = how.repeatable,
                          .timeout_ms = how.timeout_ms,
                          .question = question_};
    const auto attempts = how.repeatable ? how.retries + 1 : 1;
    live_->act(
      std::move(what), {.attempts = static_cast<std::uint32_t>(attempts)},
      [self = shared_from_this()](const actors::attempt& which,
                                  actors::when_acted then) {
        auto made = std::make_shared<a2a_attempt>(self->agent_, which,
                                                  std::move(then));
        made->send(self->message_,
                   [self](const std::string& id) { self->note(id); });
        return actors::cancel_function{[made] { made->cancel(); }};
      },
      [self = shared_from_this()](const protocol::action_result& got) {
        self->heard(got);
      });
  }

  void wait(const std::string& task_id) {
    protocol::action what{.position = std::to_string(round_) + ".1",
                          .kind = protocol::action_kind::http,
                          .name = provider_,
                          .arguments = json::object{{"operation", "tasks:get"},
                                                    {"task_id", task_id}},
                          .repeatable = true};
    live_->act(
      std::move(what), {},
      [self = shared_from_this(), task_id](const actors::attempt& which,
                                           actors::when_acted then) {
        auto made = std::make_shared<a2a_attempt>(self->agent_, which,
                                                  std::move(then));
        made->wait(task_id);
        return actors::cancel_function{[made] { made->cancel(); }};
      },
      [self = shared_from_this(), task_id](const protocol::action_result& got) {
        if (got.status != protocol::action_status::completed
            && got.error.code != "agent_let_go")
          self->agent_->part_from(task_id);
        self->heard(got);
      });
  }

  /// The message's answer, or the task when it is done.
  void heard(const protocol::action_result& got) {
    if (got.error.code == "agent_let_go" && agent_->settings().repeatable
        && round_ < rounds_max)
      return send();
    if (got.status != protocol::action_status::completed)
      return fail(got.error);
    const auto* output = got.output.if_object();
    const auto answer = read_a2a_answer(output != nullptr ? *output : none_);
    if (!answer)
      return fail(answer.error());
    const std::string task_id{answer->task_id};
    if (answer->state == a2a_state::open) {
      note(task_id);
      return wait(task_id);
    }
    // Nobody will give it what it waits for.
    if (answer->state == a2a_state::input_required
        || answer->state == a2a_state::auth_required)
      agent_->part_from(task_id);
    live_->answer(reply_of(*answer));
  }

  /// The agent works on a task; maybe nobody waits for it any more.
  void note(const std::string& task_id) {
    {
      const std::lock_guard held{mutex_};
      if (!over_) {
        tasks_.insert(task_id);
        return;
      }
    }
    agent_->part_from(task_id);
  }

  void let_go() {
    std::set<std::string> left;
    {
      const std::lock_guard held{mutex_};
      over_ = true;
      left.swap(tasks_);
    }
    for (const auto& each : left)
      agent_->part_from(each);
  }

  void fail(const protocol::action_error& why) {
    live_->answer(failed_reply(why.code, why.message));
  }

  const std::shared_ptr<a2a_remote> agent_;
  const std::string provider_;
  const std::string task_;
  const std::shared_ptr<actors::live_turn> live_;
  const json::object message_;
  const std::string question_;
  const json::object none_;
  int round_ = 0;
  std::mutex mutex_;
  std::set<std::string> tasks_; ///< guarded: begun, and not known to be done
  bool over_ = false;           ///< guarded
};

} // namespace

a2a_behaviour::a2a_behaviour(a2a_settings settings, a2a_surroundings with)
  : provider_(settings.card) {
  if (const auto origin = origin_of(settings.card))
    provider_ = to_string(*origin);
  agent_ = std::make_shared<a2a_remote>(std::move(settings), std::move(with));
}

void a2a_behaviour::begin(actors::turn_request asked) {
  std::make_shared<a2a_turn>(agent_, provider_, asked)->begin();
}

} // namespace convene::host
