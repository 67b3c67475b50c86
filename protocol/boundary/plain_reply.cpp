#include <convene/protocol/boundary/plain_reply.hpp>
#include <convene/protocol/boundary/shape_rules.hpp>
#include <convene/protocol/boundary/slot_walk.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/json_schema/typed_cursor.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

namespace convene::protocol::boundary {
namespace {

/// Gives somebody a turn, who is named.
bool is_plain(const decision& what) {
  const auto* to = std::get_if<dispatch_decision>(&what);
  return to != nullptr && !to->participant.empty() && to->role.empty()
         && !to->resources;
}

bool is_plain(const reply& what) {
  return what.status == reply_status::completed && what.tasks.empty()
         && std::ranges::all_of(what.decision,
                                [](const decision& d) { return is_plain(d); })
         && what.usage == usage{} && what.reasoning.empty()
         && what.result.empty() && what.claim.empty() && !what.claim_all
         && !what.handoff && !what.vote && what.error == reply_error{};
}

/// As an event's description. Whether it votes to end is a choice. An operation
/// or value that the JSON form leaves out is shown all the same.
void describe(auto& v, const reply& what) {
  v.text("content"_m, what.content);
  v.flag("end"_m, what.end);
  v.template list<5>("writes"_m, std::span{what.writes},
                     [](auto& each, const resource_write& w) {
                       each.text("resource_type"_m, w.resource_type);
                       each.text("resource_id"_m, w.resource_id);
                       each.number("base_version"_m, w.base_version);
                       each.text("op"_m, to_word(w.op));
                       each.value("value"_m, &w.value);
                     });
  v.template list<3>("decision"_m, std::span{what.decision},
                     [](auto& each, const decision& d) {
                       each.object("dispatch"_m, [&](auto& to) {
                         const auto& given = std::get<dispatch_decision>(d);
                         to.text("participant"_m, given.participant);
                         to.optional("task"_m, given.task);
                         to.optional("step_id"_m, given.step_id);
                       });
                     });
}

/// Whether the schema admits a plain reply with each combination of members
/// that its JSON form may have or lack.
bool admits_all_shapes(const compiled_schema& schema) {
  const std::array<json::value, 2> values{nullptr, "text"};
  std::vector<std::vector<resource_write>> writes(1);
  for (const auto op : {write_op::put, write_op::merge})
    for (const auto& value : values)
      writes.push_back({{"file", "name", 1, op, value}});
  std::vector<std::vector<decision>> decisions(1);
  for (const std::string task : {"", "text"})
    for (const std::string step_id : {"", "text"})
      decisions.push_back({dispatch_decision{
        .participant = "name", .task = task, .step_id = step_id}});
  for (const bool end : {false, true})
    for (const std::string content : {"", "text"})
      for (const auto& written : writes)
        for (const auto& decided : decisions) {
          const reply what{.content = content,
                           .writes = written,
                           .decision = decided,
                           .end = end};
          if (!validate_typed(schema, validation::typed_cursor{what}).valid)
            return false;
        }
  return true;
}

} // namespace

plain_reply::plain_reply(const compiled_schema& schema) {
  if (!admits_all_shapes(schema))
    return;
  const json::value sample{
    {"content", "text"},
    {"writes", json::array{json::object{{"resource_type", "file"},
                                        {"resource_id", "name"},
                                        {"base_version", 1},
                                        {"op", "merge"},
                                        {"value", "text"}}}},
    {"decision", json::array{json::object{
                   {"dispatch", json::object{{"participant", "name"},
                                             {"task", "text"},
                                             {"step_id", "text"}}}}}},
    {"end", true}};
  slot_lister list;
  describe(list, reply{});
  const auto places = list.places();
  std::vector<slot_rule> rules;
  for (const auto& one : list.all) {
    auto demands = demands_at(schema, sample, one.place, places,
                              together::tried);
    if (!demands)
      return;
    rules.push_back(make_rule(*std::move(demands), one.kind));
  }
  rules_ = std::move(rules);
}

bool plain_reply::passes(const reply& what) const {
  if (rules_.empty() || !is_plain(what))
    return false;
  slot_checker check{rules_.data()};
  describe(check, what);
  return check.good();
}

} // namespace convene::protocol::boundary
