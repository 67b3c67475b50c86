#include "world.hpp"

#include <convene/protocol/base/uuid.hpp>

namespace convene::tests {

using protocol::derive_uuid;
using protocol::uuid;

session::spec scenario_of(std::size_t participants, std::uint64_t number) {
  const auto id = [number](std::uint64_t space) {
    return to_string(derive_uuid(uuid{1, 2}, space, number));
  };
  session::spec made{.task = "the task"};
  made.context.context_id = id(0);
  made.context.root = {{"domain", "tests"}, {"environment", "local"}};
  made.context.title = "a title";
  made.context.status = protocol::context_status::active;
  made.collab.collab_id = id(1);
  made.collab.context_id = made.context.context_id;
  made.collab.title = "a title";
  made.collab.purpose = "a purpose";
  made.collab.created_at = "2026-01-01T00:00:00Z";
  for (std::size_t i = 0; i < participants; ++i)
    made.collab.participants.push_back(
      {.participant_id = "p" + std::to_string(i), .role_id = "role"});
  return made;
}

world::config::config() {
  set("scheduler.policy", caf::atom("testing"));
  set("logger.verbosity", caf::atom("quiet"));
  actors::add_messages(*this);
}

world::world()
  : scheduler(
    dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())) {
  clock.scheduler = &scheduler;
  timekeeper = actors::spawn_timekeeper(system, clock);
  run();
}

actors::session_actor
world::begin(behaviours who, ending& end, session::options how,
             const session::routing_policy& policy, std::uint64_t number) {
  auto what = scenario_of(who.size(), number);
  what.options = std::move(how);
  auto machine = session::machine::activate(std::move(what), policy,
                                            uuid{3, number});
  if (!machine)
    throw std::logic_error(to_string(machine.error()));
  actors::session_setup setup{
    .machine = std::move(*machine),
    .behaviours = std::move(who),
    .events = &sink,
    .time = &clock,
    .strict = strict,
    .timekeeper = timekeeper,
    .done = [&end](protocol::result<session::report> how_it_ended) {
      if (end)
        throw std::logic_error("a session ended twice");
      end = std::move(how_it_ended);
    }};
  if (change)
    change(setup);
  auto made = actors::spawn_session(system, std::move(setup));
  tell(made, actors::control::verb::start);
  return made;
}

void world::run() {
  while (scheduler.try_run_once()) {
    // nop
  }
}

void world::pass(std::int64_t ms) {
  run();
  for (std::int64_t i = 0; i < ms; ++i) {
    scheduler.advance_time(std::chrono::milliseconds{1});
    run();
  }
}

caf::actor world::next_actor() {
  return caf::actor_cast<caf::actor>(
    &scheduler.next_job<caf::scheduled_actor>());
}

std::vector<protocol::json::object> world::events() const {
  std::vector<protocol::json::object> all;
  std::string_view rest{sink.text};
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    all.push_back(
      protocol::parse_json(rest.substr(0, end)).value().as_object());
    rest.remove_prefix(end + 1);
  }
  return all;
}

std::vector<std::string> world::event_types() const {
  std::vector<std::string> all;
  for (const auto& event : events())
    all.emplace_back(event.at("event_type").as_string());
  return all;
}

std::vector<std::string> world::told(std::string_view type,
                                     std::string_view member) const {
  std::vector<std::string> all;
  for (const auto& event : events())
    if (event.at("event_type").as_string() == type) {
      const auto& payload = event.at("payload").as_object();
      const auto* found = payload.if_contains(member);
      all.emplace_back(found != nullptr && found->is_string()
                         ? std::string{found->get_string()}
                         : std::string{});
    }
  return all;
}

std::string how(const ending& end) {
  if (!end)
    return "goes on";
  return *end ? (*end)->outcome.condition : "error: " + end->error().message;
}

} // namespace convene::tests
