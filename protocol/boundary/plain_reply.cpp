#include <convene/protocol/boundary/plain_reply.hpp>
#include <convene/protocol/boundary/shape_rules.hpp>
#include <convene/protocol/boundary/slot_walk.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/json_schema/typed_cursor.hpp>

#include <array>
#include <span>
#include <utility>

namespace convene::protocol::boundary {
namespace {

bool is_plain(const reply& what) {
  return what.status == reply_status::completed && what.tasks.empty()
         && what.decision.empty() && what.usage == usage{}
         && what.reasoning.empty() && what.result.empty() && what.claim.empty()
         && !what.handoff && !what.vote && what.error == reply_error{};
}

/// See event_slots.hpp. Whether it votes to end is a choice. An operation or
/// value that the JSON form leaves out is shown all the same.
void slots(auto& v, const reply& what) {
  v.text("/content", what.content);
  v.choice("/end", what.end);
  v.template list<5>("/writes", std::span{what.writes},
                     [](auto& each, const resource_write& w) {
                       each.text("/writes/*/resource_type", w.resource_type);
                       each.text("/writes/*/resource_id", w.resource_id);
                       each.number("/writes/*/base_version", w.base_version);
                       each.text("/writes/*/op", to_word(w.op));
                       each.free("/writes/*/value");
                     });
}

/// Whether the schema admits a plain reply with each combination of members
/// that its JSON form may have or lack.
bool admits_all_shapes(const compiled_schema& schema) {
  const auto admits = [&](const reply& what) {
    return validate_typed(schema, validation::typed_cursor{what}).valid;
  };
  const std::array<json::value, 2> values{nullptr, "text"};
  for (const bool end : {false, true})
    for (const std::string content : {"", "text"}) {
      reply what{.content = content, .end = end};
      if (!admits(what))
        return false;
      for (const auto op : {write_op::put, write_op::merge})
        for (const auto& value : values) {
          what.writes = {{"file", "name", 1, op, value}};
          if (!admits(what))
            return false;
        }
    }
  return true;
}

} // namespace

plain_reply::plain_reply(const compiled_schema& schema) {
  if (!admits_all_shapes(schema))
    return;
  const json::value sample{{"content", "text"},
                           {"writes",
                            json::array{json::object{{"resource_type", "file"},
                                                     {"resource_id", "name"},
                                                     {"base_version", 1},
                                                     {"op", "merge"},
                                                     {"value", "text"}}}},
                           {"end", true}};
  slot_lister list;
  slots(list, reply{});
  const auto places = list.places();
  std::vector<slot_rule> rules;
  for (const auto& one : list.all) {
    auto demands = demands_at(schema, sample, one.place, places);
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
  slots(check, what);
  return check.good();
}

} // namespace convene::protocol::boundary
