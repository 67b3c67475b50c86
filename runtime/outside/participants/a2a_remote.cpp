#include <convene/runtime/outside/participants/a2a_remote.hpp>
#include <convene/runtime/outside/participants/a2a_wire.hpp>
#include <convene/runtime/outside/participants/without_key.hpp>

#include <utility>

namespace convene::host {
namespace {

/// How long it may take to tell an agent that its task is not needed.
constexpr std::int64_t parting_ms = 10'000;

} // namespace

/// The error for others: without the key. The card is not trusted after it.
protocol::action_error a2a_remote::told(protocol::action_error why) {
  {
    const std::lock_guard held{mutex_};
    agent_.reset();
  }
  why.message = without_key(std::move(why.message), with_.api_key);
  return why;
}

http_client::cancel_function a2a_remote::find(std::int64_t timeout_ms,
                                              when_found then) {
  known_agent known;
  {
    const std::lock_guard held{mutex_};
    known = agent_;
  }
  if (known) {
    then(std::move(known));
    return {};
  }
  http_request what{.method = "GET",
                    .url = settings_.card,
                    .headers = {{"Accept", "application/json"},
                                {"A2A-Version", "1.0"}},
                    .timeout_ms = timeout_ms,
                    .body_bytes_max = agent_card_bytes_max};
  const auto home = origin_of(settings_.card);
  return with_.http->start(
    home ? to_string(*home) : settings_.card, settings_.limits, 0,
    std::move(what),
    [self = shared_from_this(), then = std::move(then)](http_answer got) {
      if (!got.is_ok())
        return then(tl::unexpected{self->told(std::move(got.error))});
      auto agent = read_agent_card(got.body, self->settings_.card,
                                   self->with_.api_key, self->with_.may_reach);
      if (!agent)
        return then(tl::unexpected{self->told(std::move(agent.error()))});
      auto made = std::make_shared<const a2a_agent>(*std::move(agent));
      {
        const std::lock_guard held{self->mutex_};
        self->agent_ = made;
      }
      then(std::move(made));
    });
}

http_client::cancel_function
a2a_remote::call(const known_agent& to, http_request what, when_heard then) {
  return with_.http->start(
    to->origin, settings_.limits, 0, std::move(what),
    [self = shared_from_this(), to, then = std::move(then)](http_answer got) {
      auto heard = read_agent_answer(*to, std::move(got));
      if (!heard)
        return then(tl::unexpected{self->told(std::move(heard.error()))});
      then(std::move(heard));
    });
}

void a2a_remote::part_from(const std::string& task_id) {
  const auto cancel = [self = shared_from_this(), task_id,
                       open = with_.partings->begin()](const auto& agent) {
    if (!agent)
      return;
    auto what = cancel_task_call(**agent, task_id);
    what.timeout_ms = parting_ms;
    self->call(*agent, std::move(what), [open](const auto&) {});
  };
  find(parting_ms, cancel);
}

} // namespace convene::host
