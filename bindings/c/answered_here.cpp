#include <convene/bindings/c/answered_here.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace convene::c_api {

protocol::result<std::vector<std::string>>
answered_here(const session::spec& scenario,
              const std::vector<std::string>& participants) {
  const auto is_named = [&participants](std::string_view id) {
    return std::ranges::find(participants, id) != participants.end();
  };
  const auto has_behaviour = [&scenario](std::string_view id) {
    return scenario.behaviours.contains(id)
           || scenario.behaviours.contains("*");
  };
  std::vector<std::string> all;
  std::ranges::copy_if(participants, std::back_inserter(all),
                       [](const std::string& id) { return id != "*"; });
  for (const auto& who : scenario.collab.participants) {
    const auto& id = who.participant_id;
    if (is_named(id) || has_behaviour(id))
      continue;
    if (!is_named("*"))
      return protocol::fail(
        {.code = protocol::errc::activation_refused,
         .message = "nothing answers for this participant: name it among the "
                    "participants, or give it a behavior in the scenario",
         .pointer = "/behaviours",
         .rule = "participant_unbound",
         .value = protocol::shorten(id)});
    all.push_back(id);
  }
  return all;
}

} // namespace convene::c_api
