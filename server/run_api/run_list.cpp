#include <convene/protocol/base/timestamp.hpp>
#include <convene/server/run_api/answers.hpp>
#include <convene/server/run_api/bodies.hpp>
#include <convene/server/run_api/run_list.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::int64_t list_default = 100;
constexpr std::int64_t list_max = 1'000;
constexpr std::int64_t runs_on_log_max
  = std::numeric_limits<std::int32_t>::max();

json::object to_json(const open_interrupt& of) {
  json::object made{{"nodeId", of.node_id},
                    {"interruptId", of.interrupt_id},
                    {"kind", protocol::to_word(of.kind)}};
  if (of.deadline)
    made["deadline"] = protocol::format_timestamp(*of.deadline);
  return made;
}

json::object to_json(const run_row& of) {
  json::object made{{"runId", to_string(of.id)},
                    {"workflowId", of.workflow_id},
                    {"status", protocol::to_word(of.status)},
                    {"startedAt", protocol::format_timestamp(of.started_at)},
                    {"events", of.events}};
  if (is_end(of.status))
    made["completedAt"] = protocol::format_timestamp(of.ended_at);
  json::array waiting;
  for (const auto& each : of.waiting)
    waiting.push_back(to_json(each));
  made["waiting"] = std::move(waiting);
  if (of.is_broken)
    made["error"]
      = {{"code", "internal_error"},
         {"message", "the run cannot be read or written, so it "
                     "does not continue; the server's log says why"}};
  return made;
}

} // namespace

void list_runs(run_host& host, const request& asked, const responder& to) {
  const auto after = read_number(asked, "after", 0, runs_on_log_max, 0);
  const auto limit = read_number(asked, "limit", 1, list_max, list_default);
  const auto statuses = read_statuses(asked);
  if (!after || !limit)
    return to(invalid(after ? limit.error() : after.error()));
  if (!statuses)
    return to(invalid(statuses.error()));
  const auto found = host.catalog().list(static_cast<std::size_t>(*after),
                                         static_cast<std::size_t>(*limit),
                                         *statuses);
  json::array runs;
  for (const auto& row : found.rows)
    runs.push_back(to_json(row));
  to(json_response(200, {{"runs", std::move(runs)},
                         {"next", found.next == 0 ? json::value()
                                                  : json::value(found.next)}}));
}

} // namespace convene::server
