#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/state_store/lasting.hpp>
#include <convene/runtime/single_agent/stored_run.hpp>

#include <string_view>
#include <utility>

namespace convene::host {

protocol::result<void>
store_agent_run(state_store& into, const agent_run& run,
                const std::vector<std::string>& of_session) {
  std::vector<lasting_entry> all;
  const auto put = [&](std::string_view area, std::string_view id_member,
                       const boost::json::object& document) {
    all.push_back(
      {.key = state_key(area, protocol::text_of(document, id_member)),
       .value = protocol::pretty(document),
       .replaces = of_session});
  };
  put(state_area::contexts, "context_id", run.context);
  put(state_area::plans, "plan_id", run.plan);
  if (run.confirm)
    put(state_area::confirms, "confirm_id", *run.confirm);
  put(state_area::traces, "trace_id", run.trace());
  return put_lasting(into, std::move(all));
}

} // namespace convene::host
