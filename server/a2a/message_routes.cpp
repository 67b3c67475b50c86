#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/server/a2a/agent_answers.hpp>
#include <convene/server/a2a/message.hpp>
#include <convene/server/a2a/task_wait.hpp>
#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/check_answer.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

/// How long a message may take to become durable, and how long its answer may
/// wait for the task.
constexpr std::chrono::seconds durable_limit{30};
constexpr std::chrono::minutes wait_limit{10};

json::object as_task(json::object made) {
  return {{"task", std::move(made)}};
}

response server_stopping() {
  return a2a_error(503, "server_stopping",
                   "the server stops; send the same message again when it is "
                   "back");
}

/// One message, and who waits for what becomes of it.
class delivery : public std::enable_shared_from_this<delivery> {
public:
  delivery(shared_agent agent, const request& from, sent_message what,
           bool streams, responder to)
    : agent_{std::move(agent)}, key_{from.by.key_id}, request_{from.id},
      what_{std::move(what)}, streams_{streams}, to_{std::move(to)} {}

  /// A message that names no task: the task that it began, or begins.
  void begin_task() {
    // The same message of the same caller has the same task, over restarts,
    // too, whatever skills there are then.
    id_ = to_string(protocol::hashed_uuid("a2a\n" + key_ + '\n' + what_.id));
    if (const auto known = agent_->tasks->find(id_)) {
      if (what_.skill.empty())
        what_.skill = known->origin.skill;
      return repeat(*known, origin_of_message());
    }
    if (!choose_skill())
      return;
    with_push(1, [self = shared_from_this()] { self->start_task(); });
  }

  /// A message to a task: the answer to its question.
  void answer_task(const task_view& now) {
    id_ = now.id;
    if (!what_.context_id.empty() && what_.context_id != now.origin.context_id)
      return to_(a2a_error(400, "invalid_params",
                           "/message/contextId: the task is of another "
                           "context",
                           {{"field", "/message/contextId"}}));
    if (agent_->tasks->has_taken(id_, what_.id))
      return follow(0);
    if (is_over(now.status.state))
      return to_(a2a_error(400, "unsupported_operation",
                           "the task is over, and takes no more messages",
                           {{"taskId", id_}}));
    if (now.questions.size() != 1)
      return to_(a2a_error(
        400, "unsupported_operation",
        now.questions.empty()
          ? "the task has no open question at the moment"
          : "the task asks several people: each answers at /v1/requests",
        {{"taskId", id_}}));
    with_push(now.place,
              [self = shared_from_this(), now] { self->answer_question(now); });
  }

private:
  void start_task() {
    const auto origin = origin_of_message();
    auto scenario = agent_->about.skills.find(what_.skill)->second.scenario;
    scenario["task"] = what_.text;
    mark(scenario, origin);
    scenario["collab"].get_object()["collab_id"] = id_;
    expire_durable();
    const auto taken = agent_->host.create(
      std::move(scenario),
      [self = shared_from_this(),
       origin](const protocol::result<session_row>& made) {
        if (made)
          return self->follow(0);
        // Its first copy is beginning it.
        if (made.error().rule == "session_id")
          return self->when_there([self, origin](const task_view& now) {
            self->repeat(now, origin);
          });
        self->refuse_start(made.error());
      },
      key_);
    if (taken)
      return;
    forget_push();
    to_(agent_overloaded());
  }

  void answer_question(const task_view& now) {
    const auto& [token, who] = now.questions.front();
    protocol::reply reply{.content = what_.text};
    reply.result[message_member] = what_.id;
    expire_durable();
    agent_->host.questions()->answer(
      {.token = token,
       .whose = {.session_id = id_, .participant = who},
       .reply = std::move(reply),
       .check = check_answer,
       .then = [self = shared_from_this(),
                place = now.place](const answer_outcome& outcome) {
         self->answered(outcome, place);
       }});
  }

  /// Continues once the message's push notification config is on disk, if it
  /// has one; the updates behind `place` are delivered.
  void with_push(std::size_t place, std::function<void()> then) {
    if (!what_.push)
      return then();
    const std::string at = "/configuration/taskPushNotificationConfig";
    if (!agent_->push->is_offered())
      return to_(push_not_offered());
    auto config = read_push_config(*what_.push, at, id_);
    if (!config)
      return to_(a2a_error(config.error()));
    if (const auto may = agent_->push->check(config->url); !may)
      return to_(push_refused(at, may.error()));
    config->delivered = place;
    agent_->push->put(id_, *std::move(config),
                      [self = shared_from_this(), at, then = std::move(then)](
                        const protocol::result<void>& kept) {
                        if (kept)
                          return then();
                        self->to_(push_refused(at, kept.error()));
                      });
  }

  /// The task has not begun.
  void forget_push() const {
    if (what_.push)
      agent_->push->forget(id_);
  }

  task_origin origin_of_message() const {
    task_origin made{.skill = what_.skill,
                     .context_id = what_.context_id,
                     .output = what_.output.value_or(output_modes{})};
    made.digest = host::hex_digest_of(made.skill + '\n' + made.context_id + '\n'
                                      + what_.text);
    if (made.context_id.empty())
      made.context_id = to_string(protocol::hashed_uuid("context\n" + id_));
    return made;
  }

  bool choose_skill() {
    const auto& all = agent_->about.skills;
    if (what_.skill.empty() && all.size() == 1)
      what_.skill = all.begin()->first;
    if (all.contains(what_.skill))
      return true;
    std::string names;
    for (const auto& [id, each] : all)
      names += (names.empty() ? "" : ", ") + id;
    to_(a2a_error(400, "invalid_params",
                  "/message/metadata/skill: must be one of " + names,
                  {{"field", "/message/metadata/skill"}}));
    return false;
  }

  void expire_durable() const {
    to_.after(durable_limit, [] {
      return a2a_error(503, "not_durable_yet",
                       "the message is not on disk yet; send the same one "
                       "again");
    });
  }

  void repeat(const task_view& known, task_origin origin) {
    origin.output = known.origin.output; // which may differ, as other answers
    if (known.origin != origin)
      return to_(a2a_error(400, "invalid_params",
                           "/message/messageId: was used for another message",
                           {{"field", "/message/messageId"}}));
    if (is_over(known.status.state))
      return follow(0);
    with_push(known.place, [self = shared_from_this()] { self->follow(0); });
  }

  void refuse_start(const protocol::error& why) const {
    forget_push();
    spdlog::error("request {}: the skill {} cannot be started: {}", request_,
                  what_.skill, to_string(why));
    if (why.rule == "runtime_closing" || why.rule == "session_suspended")
      return to_(server_stopping());
    if (why.rule == "sessions_max" || why.rule == "sessions_bytes_max")
      return to_(a2a_error(503, why.rule, why.message));
    if (why.rule.starts_with("key_sessions_"))
      return to_(a2a_error(429, why.rule, why.message));
    if (why.code == protocol::errc::limit_reached)
      return to_(a2a_error(400, "invalid_params", why.message));
    to_(a2a_error(500, "internal_error",
                  "the skill cannot be started; the server's diagnostic log "
                  "says why, under this request's id"));
  }

  void answered(const answer_outcome& outcome, std::size_t place) {
    using kind = answer_outcome::kind;
    switch (outcome.what) {
      case kind::accepted:
      case kind::duplicate:
        return follow(place);
      case kind::refused:
        return to_(a2a_error(400, "unsupported_operation",
                             "a message cannot answer what is asked: "
                               + outcome.why.message
                               + "; answer it at /v1/requests"));
      case kind::stopping:
        return to_(server_stopping());
      default:
        return to_(a2a_error(400, "unsupported_operation",
                             "the question has been answered, or is over: "
                             "look at the task again",
                             {{"taskId", id_}}));
    }
  }

  void when_there(std::function<void(const task_view&)> then) const {
    wait_until([](const task_view&) { return true; }, std::move(then));
  }

  void wait_until(std::function<bool(const task_view&)> is_met,
                  std::function<void(const task_view&)> then) const {
    std::make_shared<task_wait>(
      agent_->host.events(), agent_->tasks, id_, std::move(is_met),
      [to = to_, then = std::move(then)](const task_view& now) {
        // A session of that id that is none of ours.
        if (now.origin.skill.empty())
          return to(task_not_found());
        then(now);
      },
      task_wait::clock::now() + wait_limit + std::chrono::seconds{1})
      ->run();
  }

  /// The task in the media types that this message accepts, if it names any;
  /// else in those that the task began with.
  task_view as_accepted(task_view one) const {
    one.origin.output = what_.output.value_or(one.origin.output);
    return one;
  }

  /// Answers with the task: as a stream, at once, or when it has come to a stop
  /// behind this place.
  void follow(std::size_t place) {
    when_there([self = shared_from_this(), place](const task_view& now) {
      if (self->streams_)
        return self->to_(stream_of(self->agent_, self->as_accepted(now),
                                   asking_task::ends_stream));
      if (!self->what_.waits)
        return answer_with(self->agent_, self->as_accepted(now), as_task,
                           self->to_);
      self->wait_until(
        [place](const task_view& later) {
          return later.status.state != task_state::working
                 && (later.place > place || is_over(later.status.state));
        },
        [self](const task_view& later) {
          answer_with(self->agent_, self->as_accepted(later), as_task,
                      self->to_);
        });
      self->to_.with_news_after(wait_limit, [self] {
        const auto later = self->agent_->tasks->find(self->id_);
        return later ? a2a_response(as_task(to_json(self->as_accepted(*later))))
                     : task_not_found();
      });
    });
  }

  const shared_agent agent_;
  const std::string key_;
  const std::string request_;
  sent_message what_;
  const bool streams_;
  const responder to_;
  std::string id_; ///< of the task
};

void take(const shared_agent& agent, const request& from, bool streams,
          const responder& to) {
  if (auto wrong = wrong_version(from))
    return to(*std::move(wrong));
  const auto body = object_of_body(from, message_bytes_max);
  if (!body)
    return to(a2a_error(body.error()));
  auto what = read_message(*body);
  if (!what)
    return to(a2a_error(what.error()));
  const auto task_id = what->task_id;
  auto lacking = lacks_scope(from, {"runs:read"});
  if (!lacking && !task_id.empty())
    lacking = lacks_scope(from, {"approvals:respond"});
  if (lacking)
    return to(*std::move(lacking));
  const auto one = std::make_shared<delivery>(agent, from, *std::move(what),
                                              streams, to);
  if (task_id.empty())
    return one->begin_task();
  const auto now = agent->tasks->find(task_id);
  if (!now)
    return to(task_not_found());
  one->answer_task(*now);
}

} // namespace

routes message_routes(const shared_agent& agent) {
  routes all;
  for (const bool streams : {false, true})
    all.push_back(
      {.method = "POST",
       .pattern = streams ? "/message:stream" : "/message:send",
       .scope = "runs:create",
       .call =
         [agent, streams](const request& from, const responder& to) {
           take(agent, from, streams, to);
         },
       .errors = error_form::a2a,
       .repeatable_by_key = false,
       .about = streams ? "A2A: a message, and its task as a stream"
                        : "A2A: a message, which starts a task or "
                          "answers its question"});
  return all;
}

} // namespace convene::server
