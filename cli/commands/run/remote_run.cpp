#include <convene/cli/commands/run/remote_run.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/cluster/cluster_database.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Without any event or sign of life. Longer than a take-over takes.
constexpr milliseconds away_max{120'000};
/// Before another server is asked.
constexpr milliseconds server_away_max{5'000};
constexpr milliseconds between_servers{200};
constexpr std::size_t servers_max = 100;

protocol::error cannot_spool() {
  return {.code = errc::io_failed,
          .message = "the session's events cannot be written to a temporary "
                     "file: the disk may be full",
          .rule = "remote_run"};
}

/// Addresses of the nodes whose lease is valid.
result<std::vector<std::string>> nodes_of(const std::string& cluster) {
  auto database = host::cluster_database::open({.url = cluster}, false);
  if (!database)
    return fail(std::move(database).error());
  const auto all = database->connection().and_then(
    [](auto* in) { return host::list_nodes(*in); });
  if (!all)
    return fail(all.error());
  std::vector<std::string> urls;
  for (const auto& one : *all)
    if (one.lease.count() > 0 && !one.is.address.empty()
        && urls.size() < servers_max)
      urls.push_back(one.is.address);
  if (urls.empty())
    return fail(errc::io_failed,
                "no node of the cluster is up; convene nodes lists them",
                "node_unavailable");
  return urls;
}

struct reached_server {
  std::string url;
  client to;
};

result<std::vector<reached_server>>
open_servers(const run_arguments& arguments) {
  auto urls = arguments.urls;
  if (urls.size() > servers_max)
    return fail(errc::limit_reached, "--url: at most 100 of them",
                "remote_run");
  if (!arguments.cluster.empty()) {
    auto found = nodes_of(arguments.cluster);
    if (!found)
      return fail(std::move(found).error());
    urls = *std::move(found);
  }
  std::vector<reached_server> made;
  for (const auto& url : urls) {
    auto with = arguments.server;
    with.server = url;
    auto how = client_options_of(with);
    if (!how)
      return fail(std::move(how).error());
    how->reconnect_ms = (urls.size() == 1 ? away_max : server_away_max).count();
    auto opened = client::open(*std::move(how));
    if (!opened)
      return fail(std::move(opened).error());
    made.push_back({url, *std::move(opened)});
  }
  return made;
}

class following {
public:
  following(std::vector<reached_server> servers, session_screen* screen)
    : servers_{std::move(servers)}, screen_{screen}, events_{std::tmpfile()} {}

  /// False: a stop came first, and the session may have begun.
  result<bool> start(const session::spec& scenario, const node_wish& where,
                     const std::stop_token& stop) {
    id_ = host::session_id_of(scenario, 0);
    const auto key = to_string(protocol::uuid_source::from_entropy().next());
    const auto text = session::encode(scenario);
    bool may_be_there = false;
    std::optional<protocol::error> why;
    for (at_ = 0; at_ < servers_.size(); ++at_) {
      auto begun = servers_[at_].to.start_session(text, key, where, stop);
      if (begun) {
        id_ = *std::move(begun);
        return true;
      }
      if (stop.stop_requested())
        return false;
      why = std::move(begun).error();
      if (may_be_there && why->rule == "session_exists")
        return true; // a server before had begun it
      if (why->code != errc::io_failed)
        break;
      may_be_there = true;
    }
    return fail(*std::move(why));
  }

  /// Until its end; false: until a stop.
  result<bool> follow(const std::stop_token& stop) {
    auto reached = steady_clock::now();
    while (!stop.stop_requested()) {
      const auto before = last_;
      const auto seen = servers_[at_].to.observe_session(
        id_, [this](const observed_event& event) { return take(event); }, last_,
        stop);
      if (has_failed_)
        return fail(cannot_spool());
      if (seen && seen->ended)
        return true;
      if (seen)
        continue; // stopped
      if (last_ != before)
        reached = steady_clock::now();
      if ((seen.error().code != errc::io_failed
           && seen.error().rule != "session_elsewhere")
          || steady_clock::now() - reached > away_max)
        return fail(with_id(seen.error()));
      at_ = (at_ + 1) % servers_.size();
      pause(stop);
    }
    return false;
  }

  [[nodiscard]] std::string where() const {
    return servers_[at_].url;
  }
  [[nodiscard]] const std::string& id() const {
    return id_;
  }
  [[nodiscard]] bool has_file() const {
    return events_ != nullptr;
  }
  [[nodiscard]] auto take_events() {
    return std::move(events_);
  }

private:
  bool take(const observed_event& event) {
    last_ = event.sequence;
    const auto line = event.text + '\n';
    has_failed_ = std::fwrite(line.data(), 1, line.size(), events_.get())
                  != line.size();
    if (screen_ != nullptr)
      screen_->see(id_, line);
    return !has_failed_;
  }

  [[nodiscard]] protocol::error with_id(protocol::error why) const {
    why.message = "session " + id_
                  + " cannot be followed any more, and may run "
                  + "on: " + why.message;
    return why;
  }

  static void pause(const std::stop_token& stop) {
    std::mutex none;
    std::unique_lock lock{none};
    std::condition_variable_any never;
    never.wait_for(lock, stop, between_servers, [] { return false; });
  }

  std::vector<reached_server> servers_;
  session_screen* screen_;
  std::unique_ptr<std::FILE, followed_session::closing> events_;
  std::string id_;
  std::size_t at_ = 0;
  std::optional<std::uint64_t> last_;
  bool has_failed_ = false;
};

} // namespace

result<void>
followed_session::write_log(const std::filesystem::path& path) const {
  auto log = host::event_log_writer::open(path);
  if (!log)
    return fail(std::move(log).error());
  if (std::fseek(events.get(), 0, SEEK_SET) != 0)
    return fail(cannot_spool());
  std::array<char, std::size_t{1} << 16> piece{};
  std::string lines;
  while (
    const auto size = std::fread(piece.data(), 1, piece.size(), events.get())) {
    lines.append(piece.data(), size);
    const auto whole = lines.rfind('\n') + 1; // 0: none is
    if (whole == 0)
      continue;
    if (auto done = (*log)->append(std::string_view{lines}.substr(0, whole));
        !done)
      return fail(std::move(done).error());
    lines.erase(0, whole);
  }
  if (std::ferror(events.get()) != 0)
    return fail(cannot_spool());
  return (*log)->close();
}

result<followed_session> run_on_servers(const run_arguments& arguments,
                                        const session::spec& scenario,
                                        session_screen* screen) {
  std::stop_source stop;
  const signal_watch signals{[&stop] { stop.request_stop(); }};
  auto servers = open_servers(arguments);
  if (!servers)
    return fail(std::move(servers).error());
  following it{*std::move(servers), screen};
  if (!it.has_file())
    return fail(cannot_spool());
  const auto begun = it.start(scenario, arguments.where, stop.get_token());
  if (!begun)
    return fail(begun.error());
  const auto ended = *begun ? it.follow(stop.get_token()) : false;
  if (screen != nullptr)
    screen->end();
  if (!ended)
    return fail(ended.error());
  if (!*ended)
    print_note(fmt::format("session {0} {2}; to see it: {1}/session/{0}; "
                           "to cancel it: POST {1}/v1/sessions/{0}/cancel",
                           it.id(), it.where(),
                           *begun ? "runs on" : "may have begun"));
  return followed_session{it.take_events(), *ended ? 0 : signals.caught()};
}

} // namespace convene::cli
