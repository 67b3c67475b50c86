#include <convene/protocol/boundary/schema_gate.hpp>
#include <convene/protocol/boundary/shape_rules.hpp>
#include <convene/protocol/boundary/slot_walk.hpp>
#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/codec/text_writer.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/events/describe_workspace_events.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <tuple>
#include <utility>

namespace convene::protocol::boundary {
namespace {

constexpr std::string_view native_id = "urn:convene:schema:native-event";

/// The families of core events, and where the protocol says what they are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> families{
  {{"pipeline_stage", "https://mplp.dev/schemas/v1.0/events/"
                      "mplp-pipeline-stage-event.schema.json"},
   {"graph_update", "https://mplp.dev/schemas/v1.0/events/"
                    "mplp-graph-update-event.schema.json"},
   {"runtime_execution", "https://mplp.dev/schemas/v1.0/events/"
                         "mplp-runtime-execution-event.schema.json"},
   {"cost_budget", "https://mplp.dev/schemas/v1.0/events/"
                   "mplp-event-core.schema.json"}}};

constexpr std::uint32_t shapes_max = 64;

/// Which of the event types with the same members it is; -1: none known.
int form_of(const stage_changed& event) noexcept {
  static constexpr std::array<std::string_view, 4> types{"step_status_changed",
                                                         "plan_status_changed",
                                                         "confirm_created",
                                                         "confirm_resolved"};
  const auto* const found = std::ranges::find(types, event.event_type);
  return found == types.end() ? -1 : static_cast<int>(found - types.begin());
}

/// What a write does to the graph is constant in the events that do it.
int form_of(const resource_written& event) noexcept {
  return static_cast<int>(event.change);
}

template <class Event>
int form_of(const Event&) noexcept {
  return 0;
}

/// Judges an event that stands for all of its shape: mostly the first one.
template <class Event, class F>
auto judge_example(const Event& event, const F& judge) {
  return judge(event);
}

/// Of thousands of steps, the first with a role and the first without.
template <class F>
auto judge_example(const plan_created& event, const F& judge) {
  std::vector<plan_step> some;
  for (const bool has_role : {false, true}) {
    const auto found = std::ranges::find_if(event.steps, [&](const auto& step) {
      return step.agent_role.value_or("").empty() != has_role;
    });
    if (found != event.steps.end())
      some.push_back(*found);
  }
  auto example = event;
  example.steps = some;
  return judge(example);
}

/// The tasks in the place where MAPSessionStarted has them, but for the
/// resources.
void describe_tasks(auto& v, std::span<const task> tasks) {
  v.object("payload"_m, [&](auto& p) {
    p.object("spec"_m, [&](auto& spec) {
      spec.template list<3, 2>(
        "tasks"_m, tasks, [](auto& each, const task& one) {
          each.text("title"_m, one.title);
          each.optional("description"_m, one.description);
          each.optional("role"_m, one.role);
        });
    });
  });
}

/// The first of each shape, and each that names resources.
std::vector<task> example_tasks(std::span<const task> tasks) {
  std::vector<task> some;
  std::array<bool, 4> known{};
  for (const auto& one : tasks) {
    auto& is_known = known[(one.description.empty() ? 0U : 2U)
                           + (one.role.empty() ? 0U : 1U)];
    if (!one.resources.empty() || !std::exchange(is_known, true))
      some.push_back(one);
  }
  return some;
}

/// The event's scenario with these tasks for those that it has.
byte_buffer with_tasks(const map_session_started& event,
                       const std::vector<task>& tasks) {
  const auto begin
    = static_cast<std::size_t>(event.tasks_text.data() - event.spec.data());
  byte_buffer spec;
  spec.append(event.spec.substr(0, begin));
  {
    json_writer out{spec};
    write_text_of(out, tasks);
  }
  spec.append(event.spec.substr(begin + event.tasks_text.size()));
  return spec;
}

/// All in one piece: so the checker stays in registers, and which rule is whose
/// is known beforehand.
template <class Event>
[[gnu::flatten]] slot_checker
checked(const slot_rule* rules, const event_head& head, const Event& event) {
  slot_checker check{rules};
  describe(check, head, event);
  return check;
}

using slot_rules = std::vector<slot_rule>;

/// What is known of the events of one form.
struct form_rules {
  std::once_flag once;
  slot_rules all; ///< by slot; empty: only the whole event can be judged
  std::atomic<bool> learned = false;
  /// A bit for each shape of which an event has been judged as a whole.
  std::atomic<std::uint64_t> shapes = 0;
};

/// The rules of one type, by form: as many as any type has.
template <class Event>
struct type_rules {
  std::array<form_rules, 4> by_form;
};

template <class... Events>
std::tuple<type_rules<Events>...> rules_of(type_list<Events...>);

class schema_gate final : public judging_gate<schema_gate> {
public:
  /// Schemas of core events in the order of `families`.
  schema_gate(compiled_schema native, std::vector<compiled_schema> by_family,
              bool every_line)
    : native_(std::move(native)), by_family_(std::move(by_family)),
      every_line_(every_line) {}

  [[nodiscard]] std::string refusal(std::string_view line) const override;

  [[nodiscard]] bool judge(const event_head& head,
                           const map_session_started& event) const;

  template <class Event>
  [[nodiscard]] bool judge(const event_head& head, const Event& event) const {
    const auto form = form_of(event);
    if (every_line_ || form < 0)
      return false;
    auto& of = std::get<type_rules<Event>>(known_)
                 .by_form[static_cast<std::size_t>(form)];
    if (!of.learned.load(std::memory_order_acquire)
        && !judge_example(event, [&](const Event& example) {
             return learn(of, head, example);
           }))
      return false;
    if (of.all.empty())
      return false;
    const auto check = checked(of.all.data(), head, event);
    if (!check.good() || check.shape() >= shapes_max)
      return false;
    const auto shape = std::uint64_t{1} << check.shape();
    if ((of.shapes.load(std::memory_order_relaxed) & shape) != 0) [[likely]]
      return true;
    if (!judge_example(event, [&](const Event& example) {
          return refusal_of(head, example).empty();
        }))
      return false;
    of.shapes.fetch_or(shape, std::memory_order_relaxed);
    return true;
  }

private:
  template <class Event>
  [[nodiscard]] std::string
  refusal_of(const event_head& head, const Event& event) const {
    byte_buffer line;
    encode(line, head, event);
    return refusal(line.view());
  }

  /// Works out the rules from the first valid event; false if this is none.
  template <class Event>
  bool learn(form_rules& of, const event_head& head, const Event& event) const {
    byte_buffer line;
    encode(line, head, event);
    if (!refusal(line.view()).empty())
      return false;
    std::call_once(of.once, [&] {
      slot_lister list;
      describe(list, head, event);
      if (const auto sample = parse_json(line.view()))
        of.all = rules_for(*sample, list);
      of.learned.store(true, std::memory_order_release);
    });
    return true;
  }

  [[nodiscard]] slot_rules rules_for(const json::value& sample,
                                     const slot_lister& list) const;

  compiled_schema native_;
  std::vector<compiled_schema> by_family_;
  bool every_line_;
  mutable decltype(rules_of(gated_events{})) known_;
  mutable form_rules tasks_; ///< of a scenario
  mutable std::mutex tried_mutex_;
  mutable std::vector<std::pair<slot_kind, slot_rule>> tried_;
};

bool schema_gate::judge(const event_head& head,
                        const map_session_started& event) const {
  if (every_line_ || event.tasks_text.empty())
    return false;
  const auto some = example_tasks(event.tasks);
  if (some.size() == event.tasks.size())
    return false;
  const auto spec = with_tasks(event, some);
  auto example = event;
  example.spec = spec.view();
  byte_buffer line;
  encode(line, head, example);
  if (!refusal(line.view()).empty())
    return false;
  std::call_once(tasks_.once, [&] {
    slot_lister list;
    list.others = {"/event_id", "/session_id", "/timestamp", "/initiator_role",
                   "/payload"};
    describe_tasks(list, some);
    if (const auto sample = parse_json(line.view()))
      tasks_.all = rules_for(*sample, list);
  });
  if (tasks_.all.empty())
    return false;
  slot_checker check{tasks_.all.data()};
  describe_tasks(check, event.tasks);
  return check.good();
}

slot_rules schema_gate::rules_for(const json::value& sample,
                                  const slot_lister& list) const {
  std::vector<const compiled_schema*> schemas{&native_};
  const auto& family = sample.at("event_family").get_string();
  for (std::size_t i = 0; i < families.size(); ++i)
    if (family == families[i].first)
      schemas.push_back(&by_family_[i]);
  const auto places = list.places();
  slot_rules made;
  const std::scoped_lock guard{tried_mutex_};
  for (const auto& one : list.all) {
    std::vector<demand> demands;
    for (const auto* schema : schemas) {
      const auto found = demands_at(*schema, sample, one.place, places);
      if (!found)
        return {};
      demands.insert(demands.end(), found->begin(), found->end());
    }
    // Ids and times are the same everywhere, and trying them takes a while.
    const auto before = std::ranges::find_if(tried_, [&](const auto& other) {
      return other.first == one.kind && other.second.demands == demands;
    });
    if (before != tried_.end()) {
      made.push_back(before->second);
      continue;
    }
    made.push_back(make_rule(std::move(demands), one.kind));
    tried_.emplace_back(one.kind, made.back());
  }
  return made;
}

std::string schema_gate::refusal(std::string_view line) const {
  static thread_local simdjson::dom::parser parser;
  simdjson::dom::element event;
  if (const auto failed = parser.parse(line.data(), line.size()).get(event))
    return std::string{"an event is not JSON: "}
           + simdjson::error_message(failed);
  const auto text_of = [&event](std::string_view name) {
    const auto text = event[name].get_string();
    return text.error() == simdjson::SUCCESS ? text.value_unsafe()
                                             : std::string_view{};
  };
  const auto family = text_of("event_family");
  auto found = validate(native_, event);
  for (std::size_t i = 0; found.valid && i < families.size(); ++i)
    if (family == families[i].first)
      found = validate(by_family_[i], event);
  return found.valid
           ? std::string{}
           : std::string{text_of("event_type")} + ": " + in_words(found);
}

} // namespace

result<std::unique_ptr<const event_gate>>
make_schema_gate(const schema_source& schemas, bool every_line) {
  auto native = schemas(native_id);
  if (!native)
    return fail(std::move(native).error());
  std::vector<compiled_schema> by_family;
  for (const auto& [family, id] : families) {
    auto schema = schemas(id);
    if (!schema)
      return fail(std::move(schema).error());
    by_family.push_back(*std::move(schema));
  }
  return std::make_unique<const schema_gate>(*std::move(native),
                                             std::move(by_family), every_line);
}

} // namespace convene::protocol::boundary
