#include <boost/json/serialize.hpp>
#include <convene/integrations/drift/file_updates.hpp>
#include <convene/integrations/webhooks/outside_log.hpp>

#include <chrono>
#include <string>

namespace convene::server {

using host::intake_verdict;
using protocol::fail;
using protocol::result;

result<std::unique_ptr<outside_log>>
outside_log::open(const std::filesystem::path& file) {
  using namespace std::chrono;
  const auto now
    = duration_cast<milliseconds>(system_clock::now().time_since_epoch())
        .count();
  host::integration_intake known;
  auto opened = host::line_file::open(
    file, R"({"event_id":)",
    [&](std::string_view line, std::size_t) -> result<void> {
      const auto before = host::read_incoming_line(line);
      if (!before)
        return fail(before.error());
      known.restore(*before, now);
      return {};
    });
  if (!opened)
    return fail(std::move(opened).error());
  return std::unique_ptr<outside_log>{
    new outside_log{*std::move(opened), std::move(known)}};
}

result<intake_verdict> outside_log::take(host::incoming what,
                                         protocol::timestamp_ms now) {
  // A line that cannot be read again would keep the log from being opened.
  if (boost::json::serialize(what.event).size() > host::event_bytes_max)
    return fail({.code = protocol::errc::limit_reached,
                 .message = "the event is longer than "
                            + std::to_string(host::event_bytes_max)
                            + " bytes, with what its envelope lacked",
                 .rule = "event_bytes_max"});
  const std::lock_guard held{mutex_};
  if (!works_)
    return fail(works_.error());
  const auto verdict = intake_.offer(std::move(what), now);
  for (const auto& each : intake_.take(1)) {
    works_ = file_.append(boost::json::serialize(each.event) + '\n');
    if (!works_)
      return fail(works_.error());
  }
  return verdict;
}

} // namespace convene::server
