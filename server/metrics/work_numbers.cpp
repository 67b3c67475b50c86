#include <convene/server/metrics/work_numbers.hpp>

namespace convene::server {

using prometheus::BuildCounter;
using prometheus::BuildGauge;

work_numbers::work_numbers(prometheus::Registry& registry)
  : bytes_{BuildCounter()
             .Name("convene_log_bytes_total")
             .Help("Bytes of events that were appended to a log.")
             .Register(registry)},
    waiting_{BuildGauge()
               .Name("convene_log_waiting_bytes")
               .Help("Bytes of events that a log has not made durable yet.")
               .Register(registry)},
    jobs_{BuildGauge()
            .Name("convene_queue_jobs")
            .Help("Work that waits for a thread: of participants, to look at "
                  "sessions, to read runs that ended long ago.")
            .Register(registry)},
    sessions_{bytes_.Add({{"log", "sessions"}}),
              waiting_.Add({{"log", "sessions"}})},
    runs_{bytes_.Add({{"log", "runs"}}), waiting_.Add({{"log", "runs"}})},
    participant_jobs_{jobs_.Add({{"queue", "participants"}})},
    session_jobs_{jobs_.Add({{"queue", "sessions"}})}, run_jobs_{jobs_.Add(
                                                         {{"queue", "runs"}})} {
}

void work_numbers::log_numbers::show(const host::log_counts& now) {
  bytes.Increment(static_cast<double>(now.bytes) - bytes.Value());
  waiting.Set(static_cast<double>(now.waiting));
}

void work_numbers::show(const work_counts& now) {
  sessions_.show(now.session_log);
  runs_.show(now.run_log);
  participant_jobs_.Set(static_cast<double>(now.participant_jobs));
  session_jobs_.Set(static_cast<double>(now.session_jobs));
  run_jobs_.Set(static_cast<double>(now.run_jobs));
}

} // namespace convene::server
