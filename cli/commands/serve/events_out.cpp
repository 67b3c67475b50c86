#include <convene/cli/commands/serve/cluster_entry.hpp>
#include <convene/cli/commands/serve/events_out.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/integrations/event_stream/cluster_events.hpp>
#include <convene/integrations/nats/nats_link.hpp>

#include <chrono>
#include <stop_token>
#include <utility>

namespace convene::cli {
namespace {

using protocol::fail;

/// What it takes to notice that a server has been lost, with a margin.
constexpr std::chrono::seconds notice_time{30};
/// Lines of one read; a larger one is read line by line.
constexpr std::size_t result_bytes_max = std::size_t{128} << 20;

} // namespace

protocol::result<std::optional<host::nats_options>>
events_out_of(const serve_arguments& arguments) {
  if (arguments.events_to.empty())
    return std::nullopt;
  auto address = host::read_stream_address(arguments.events_to);
  if (!address)
    return fail(std::move(address).error());
  host::nats_options how{
    .address = *std::move(address),
    .name = "convene " + arguments.node,
    .ca = arguments.events_ca,
    .credentials = arguments.events_credentials,
    .settle_time = notice_time + std::chrono::seconds{arguments.events_sync}};
  if (auto right = host::check_nats(how); !right)
    return fail(std::move(right).error());
  return how;
}

protocol::result<std::shared_ptr<host::event_publisher>>
publish_events(const serve_arguments& arguments,
               std::optional<host::nats_options> to,
               const std::shared_ptr<host::shared_sessions>& from) {
  if (!to)
    return nullptr;
  auto how = *std::move(to);
  const std::stop_source hurry;
  auto database = database_of(arguments);
  database.result_bytes_max = result_bytes_max;
  database.stop = hurry.get_token();
  auto source = host::open_cluster_events(database,
                                          [from] { return from->member_id(); });
  if (!source)
    return fail(std::move(source).error());
  auto inbox = std::make_shared<host::stream_inbox>();
  from->on_kept([inbox](const std::string& id, std::uint64_t length) {
    inbox->add(id, length);
  });
  how.wake = [inbox] { inbox->wake(); };
  host::publisher_options with{.stream = how.address.stream};
  with.spool.settle_time = how.settle_time;
  auto made = std::make_shared<host::event_publisher>(
    std::move(with), host::make_nats_link(std::move(how)), *std::move(source),
    std::move(inbox), hurry, [](std::string_view what) { print_note(what); });
  // Weak: it goes after the sessions, and has them.
  from->keep_for_stream([weak = std::weak_ptr{made}] {
    const auto publisher = weak.lock();
    return publisher ? publisher->stream() : std::string{};
  });
  return made;
}

} // namespace convene::cli
