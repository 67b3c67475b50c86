#include <boost/json/array.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/server/a2a/agent_answers.hpp>
#include <convene/server/a2a/message.hpp>
#include <convene/server/a2a/task_wait.hpp>
#include <convene/server/session_api/answers.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::errc;
using protocol::fail;
using protocol::result;

constexpr std::uint64_t page_default = 50;
constexpr std::uint64_t page_max = 100;

/// How long a cancelled session may take to end.
constexpr std::chrono::seconds end_limit{30};

std::optional<task_view> task_of(const shared_agent& agent,
                                 const request& from) {
  const auto id = from.parameters.find("id");
  return id == from.parameters.end() ? std::nullopt
                                     : agent->tasks->find(id->second);
}

void show(const shared_agent& agent, const request& from, const responder& to) {
  const auto one = task_of(agent, from);
  if (!one)
    return to(task_not_found());
  if (!can_be_shown(agent->host.events()->sessions(), *one))
    return to(
      a2a_error(503, "not_ready", "the task is just ending; try again"));
  answer_with(
    agent, *one, [](json::object made) { return made; }, to);
}

void cancel(const shared_agent& agent, const request& from,
            const responder& to) {
  if (const auto body = object_of_body(from, message_bytes_max); !body)
    return to(a2a_error(body.error()));
  const auto one = task_of(agent, from);
  if (!one)
    return to(task_not_found());
  const auto refused = [id = one->id](const std::string& why) {
    return a2a_error(400, "task_not_cancelable", why, {{"taskId", id}});
  };
  if (is_over(one->status.state))
    return to(refused("the task is over"));
  if (const auto told = agent->host.tell(one->id, session_host::control::cancel,
                                         "cancelled by an A2A client");
      !told)
    return to(refused(told.error().message));
  to.after(end_limit, [agent, id = one->id] {
    const auto now = agent->tasks->find(id);
    return now ? a2a_response(to_json(*now)) : task_not_found();
  });
  std::make_shared<task_wait>(
    agent->host.events(), agent->tasks, one->id,
    [](const task_view& now) { return is_over(now.status.state); },
    [agent, to](const task_view& now) {
      answer_with(
        agent, now, [](json::object made) { return made; }, to);
    },
    task_wait::clock::now() + end_limit + std::chrono::seconds{1})
    ->run();
}

void subscribe(const shared_agent& agent, const request& from,
               const responder& to) {
  const auto one = task_of(agent, from);
  if (!one)
    return to(task_not_found());
  if (is_over(one->status.state))
    return to(a2a_error(400, "unsupported_operation",
                        "the task is over: get it instead",
                        {{"taskId", one->id}}));
  to(stream_of(agent, *one, asking_task::is_followed));
}

tl::unexpected<protocol::error> bad_query(const char* name,
                                          std::string message) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = name,
               .rule = "invalid_params"});
}

/// "TIMESTAMP,ID", as `list_answer` makes it.
result<std::pair<std::string, std::string>> place_of(std::string_view token) {
  const auto comma = token.find(',');
  if (token.empty())
    return std::pair<std::string, std::string>{};
  if (comma == token.npos || comma + 1 == token.size()
      || !protocol::parse_timestamp(token.substr(0, comma)))
    return bad_query("pageToken", "is not one of this agent");
  return std::pair{std::string{token.substr(0, comma)},
                   std::string{token.substr(comma + 1)}};
}

result<task_index::wish> wish_of(const request& from) {
  const auto text = [&from](std::string_view name) {
    return from.parameter_of_query(name).value_or("");
  };
  task_index::wish made;
  made.context_id = text("contextId");
  if (const auto word = text("status"); !word.empty()) {
    made.state = task_state_of(word);
    if (!made.state)
      return bad_query("status", "is not a state of A2A");
  }
  if (const auto since = text("statusTimestampAfter"); !since.empty()) {
    const auto time = protocol::parse_timestamp(since);
    if (!time)
      return bad_query("statusTimestampAfter", "is not a date and time");
    made.since = protocol::format_timestamp(*time);
  }
  auto after = place_of(text("pageToken"));
  if (!after)
    return fail(std::move(after).error());
  made.after = *std::move(after);
  const auto limit = number_of(from, "pageSize", page_default, 1, page_max);
  if (!limit)
    return bad_query("pageSize", "must be a number from 1 to 100");
  made.limit = static_cast<std::size_t>(*limit);
  return made;
}

/// The page of a list, task by task: artifacts are made of their sessions.
class list_answer : public std::enable_shared_from_this<list_answer> {
public:
  list_answer(shared_agent agent, task_index::page page, bool with_artifacts,
              responder to)
    : agent_{std::move(agent)}, page_{std::move(page)},
      with_artifacts_{with_artifacts}, to_{std::move(to)} {}

  void go_on() {
    while (made_.size() < page_.tasks.size()) {
      const auto& next = page_.tasks[made_.size()];
      if (!with_artifacts_ || !is_over(next.status.state)) {
        made_.push_back(to_json(next));
        continue;
      }
      const auto taken = agent_->host.look(
        next.id, [self = shared_from_this(), next](const result<void>& done,
                                                   const session_view* view) {
          self->made_.push_back(
            to_json(next, done ? artifacts_of(*view, next.origin.output)
                               : json::array{}));
          self->go_on_later();
        });
      if (!taken)
        to_(agent_overloaded());
      return;
    }
    finish();
  }

private:
  /// Not inside of `look`, which holds the view.
  void go_on_later() {
    if (!agent_->host.events()->run(
          [self = shared_from_this()] { self->go_on(); }))
      to_(agent_overloaded());
  }

  void finish() {
    const auto size = page_.tasks.size();
    std::string next;
    if (page_.more)
      next = page_.tasks.back().status.timestamp + ',' + page_.tasks.back().id;
    to_(a2a_response({{"tasks", std::move(made_)},
                      {"nextPageToken", next},
                      {"pageSize", size},
                      {"totalSize", page_.total}}));
  }

  const shared_agent agent_;
  const task_index::page page_;
  const bool with_artifacts_;
  const responder to_;
  json::array made_;
};

void list(const shared_agent& agent, const request& from, const responder& to) {
  const auto which = wish_of(from);
  if (!which)
    return to(a2a_error(which.error()));
  std::make_shared<list_answer>(agent, agent->tasks->list(*which),
                                from.parameter_of_query("includeArtifacts")
                                  == "true",
                                to)
    ->go_on();
}

void no_extended_card(const shared_agent&, const request&,
                      const responder& to) {
  to(a2a_error(400, "unsupported_operation",
               "there is no extended card: the agent card says everything"));
}

} // namespace

routes task_routes(const shared_agent& agent) {
  constexpr auto* read = "runs:read";
  return {agent_endpoint(agent, "GET", "/tasks", read, list,
                         "A2A: the tasks, by pages"),
          agent_endpoint(agent, "GET", "/tasks/{id}", read, show,
                         "A2A: a task"),
          agent_endpoint(agent, "POST", "/tasks/{id}:cancel", "runs:cancel",
                         cancel, "A2A: cancels a task"),
          agent_endpoint(agent, "POST", "/tasks/{id}:subscribe", read,
                         subscribe, "A2A: a task as a stream"),
          agent_endpoint(agent, "GET", "/tasks/{id}:subscribe", read, subscribe,
                         "A2A: a task as a stream"),
          agent_endpoint(agent, "GET", "/extendedAgentCard", read,
                         no_extended_card, "A2A: not offered")};
}

} // namespace convene::server
