#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/single_agent/stored_run.hpp>

#include <string_view>
#include <utility>

namespace convene::host {

protocol::result<void> store_agent_run(state_store& into,
                                       const agent_run& run) {
  state_transaction all;
  const auto put = [&all](std::string_view area, std::string_view id_member,
                          const boost::json::object& document) {
    all.set(state_key(area, protocol::text_of(document, id_member)),
            protocol::pretty(document));
  };
  put(state_area::contexts, "context_id", run.context);
  put(state_area::plans, "plan_id", run.plan);
  if (run.confirm)
    put(state_area::confirms, "confirm_id", *run.confirm);
  put(state_area::traces, "trace_id", run.trace);
  return awaited<void>(
    [&](auto then) { into.commit(std::move(all), std::move(then)); });
}

} // namespace convene::host
