#include <boost/json/array.hpp>
#include <convene/session/options/end_condition.hpp>

#include <utility>

namespace convene::session::when {
namespace {

protocol::json::array list(std::vector<end_condition>&& of) {
  protocol::json::array all;
  for (auto& one : of)
    all.emplace_back(std::move(one));
  return all;
}

} // namespace

end_condition all(std::vector<end_condition> of) {
  return {{"all", list(std::move(of))}};
}

end_condition any(std::vector<end_condition> of) {
  return {{"any", list(std::move(of))}};
}

end_condition none(end_condition of) {
  return {{"not", std::move(of)}};
}

end_condition turns(std::int64_t count) {
  return {{"turns", count}};
}

end_condition rounds(std::int64_t count) {
  return {{"rounds", count}};
}

end_condition duration_ms(std::int64_t ms) {
  return {{"duration_ms", ms}};
}

end_condition idle_ms(std::int64_t ms) {
  return {{"idle_ms", ms}};
}

end_condition text(std::string_view pattern, std::string_view role) {
  end_condition made{{"text", pattern}};
  if (!role.empty())
    made["role"] = role;
  return made;
}

end_condition all_votes() {
  return {{"votes", "all"}};
}

end_condition majority_votes() {
  return {{"votes", "majority"}};
}

end_condition votes(double share) {
  return {{"votes", share}};
}

end_condition plan_complete() {
  return {{"plan", "complete"}};
}

end_condition resource_equals(std::string_view resource_type,
                              std::string_view resource_id,
                              protocol::json::value value) {
  return {{"resource",
           {{"resource_type", resource_type},
            {"resource_id", resource_id},
            {"equals", std::move(value)}}}};
}

end_condition resource_matches(std::string_view resource_type,
                               std::string_view resource_id,
                               std::string_view pattern) {
  return {{"resource",
           {{"resource_type", resource_type},
            {"resource_id", resource_id},
            {"matches", pattern}}}};
}

end_condition tokens(std::int64_t count) {
  return {{"tokens", count}};
}

end_condition cost_microusd(std::int64_t amount) {
  return {{"cost_microusd", amount}};
}

end_condition failures(std::int64_t in_a_row) {
  return {{"failures", in_a_row}};
}

end_condition no_progress(std::int64_t turns) {
  return {{"no_progress", turns}};
}

end_condition stopped() {
  return {{"stopped", true}};
}

end_condition custom(std::string_view name) {
  return {{"custom", name}};
}

} // namespace convene::session::when
