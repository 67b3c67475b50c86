#include <convene/protocol/base/percent.hpp>
#include <convene/runtime/outside/client/client_link.hpp>
#include <convene/runtime/outside/http/sse_reader.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace convene {
namespace {

using protocol::errc;
using protocol::fail;
using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// What has arrived and was not looked at; when there is more, the stream is
/// cut and joined again later, so that a slow observer needs no more memory.
constexpr std::size_t waiting_bytes_max = std::size_t{16} << 20;

constexpr std::int64_t stream_ms_max = 24LL * 3'600 * 1'000;
constexpr milliseconds first_delay{100};
constexpr milliseconds longest_delay{5'000};

/// One connection's stream, between its thread and the observer's.
struct arriving {
  std::mutex mutex;
  std::condition_variable changed;
  std::string bytes; ///< guarded, like the rest
  std::optional<host::http_answer> answer;
  bool stopped = false;

  /// False: it is enough for now.
  bool add(std::string_view more) {
    const std::lock_guard held{mutex};
    if (stopped || bytes.size() + more.size() > waiting_bytes_max)
      return false;
    bytes += more;
    changed.notify_all();
    return true;
  }
};

/// What a stream is of, and how its end shows.
struct stream_kind {
  std::string path;
  std::uint64_t first = 0; ///< the sequence of the first event
  bool (*is_last)(std::string_view type) = [](std::string_view) {
    return false; // the server says so by 204
  };
};

bool ends_run(std::string_view type) {
  return type == "run.completed" || type == "run.failed"
         || type == "run.cancelled";
}

/// How one connection came to its end.
enum class cut : std::uint8_t { by_server, by_observer, at_end };

/// Joins one connection's stream after another.
class observer {
public:
  observer(client_options options, host::http_client& http, stream_kind of,
           std::function<host::http_request()> request,
           const client::event_function& on_event,
           std::optional<std::uint64_t> after, std::stop_token stop)
    : options_{std::move(options)}, http_{http}, of_{std::move(of)},
      request_{std::move(request)}, on_event_{on_event}, last_{after},
      stop_{std::move(stop)} {}

  protocol::result<observed> run() {
    auto delay = first_delay;
    auto reached = steady::now();
    for (;;) {
      const auto before = last_;
      const auto how = connect();
      if (!how && how.error().code != errc::io_failed)
        return fail(how.error());
      if (how && (*how == cut::at_end || *how == cut::by_observer))
        return observed{last_, *how == cut::at_end};
      if (how || heard_)
        reached = steady::now();
      else if (steady::now() - reached >= milliseconds{options_.reconnect_ms})
        return fail(how.error());
      if (last_ != before) {
        delay = first_delay;
        continue;
      }
      if (!pause(delay))
        return observed{last_, false};
      delay = std::min(delay * 2, longest_delay);
    }
  }

private:
  protocol::result<cut> connect() {
    heard_ = false;
    const auto state = std::make_shared<arriving>();
    auto request = request_();
    request.headers.push_back({"Accept", "text/event-stream"});
    if (last_)
      request.headers.push_back({"Last-Event-ID", std::to_string(*last_)});
    request.timeout_ms = stream_ms_max;
    request.body_bytes_max = std::size_t{1} << 40U;
    request.on_data = [state](std::string_view bytes) {
      return state->add(bytes);
    };
    const auto cancel = http_.start(std::move(request),
                                    [state](host::http_answer got) {
                                      const std::lock_guard held{state->mutex};
                                      state->answer = std::move(got);
                                      state->changed.notify_all();
                                    });
    const std::stop_callback at_stop{stop_, [&state] {
                                       const std::lock_guard held{state->mutex};
                                       state->stopped = true;
                                       state->changed.notify_all();
                                     }};
    auto how = follow(*state);
    {
      const std::lock_guard held{state->mutex};
      state->stopped = true;
    }
    cancel();
    return how;
  }

  /// Takes what arrives until the connection ends in one way or another.
  protocol::result<cut> follow(arriving& from) {
    host::sse_reader reader{client::event_bytes_max};
    for (;;) {
      std::string bytes;
      std::optional<host::http_answer> answer;
      {
        std::unique_lock held{from.mutex};
        const bool came
          = from.changed.wait_for(held, milliseconds{options_.silence_ms}, [&] {
              return !from.bytes.empty() || from.answer || from.stopped;
            });
        if (from.stopped)
          return cut::by_observer;
        if (!came)
          return fail(errc::io_failed, "the server's stream is silent",
                      "timed_out");
        bytes = std::exchange(from.bytes, {});
        if (bytes.empty())
          answer = std::move(from.answer);
      }
      if (answer)
        return judge(*answer);
      heard_ = true;
      const auto goes_on
        = reader.feed(bytes, [this](const auto& event) { return take(event); });
      if (!goes_on)
        return fail(goes_on.error());
      if (wrong_)
        return fail(*wrong_);
      if (!*goes_on)
        return ended_ ? cut::at_end : cut::by_observer;
    }
  }

  /// What the end of a connection means.
  protocol::result<cut> judge(const host::http_answer& answer) const {
    if (!answer.is_ok())
      return fail(host::error_of(answer));
    if (answer.status == 204)
      return cut::at_end;
    if (!answer.content_type.starts_with("text/event-stream"))
      return fail(host::unreadable_answer("it is not a stream of events"));
    return cut::by_server;
  }

  /// False: nothing more is to be taken.
  bool take(const host::sse_event& event) {
    std::uint64_t sequence = 0;
    const auto* const end = event.id.data() + event.id.size();
    const auto [at, bad] = std::from_chars(event.id.data(), end, sequence);
    const auto next = last_ ? *last_ + 1 : of_.first;
    if (bad != std::errc{} || at != end || sequence != next) {
      wrong_ = {.code = errc::unreadable,
                .message = "the server's stream should continue with event "
                           + std::to_string(next),
                .rule = "event_sequence",
                .value = event.id.substr(0, 60)};
      return false;
    }
    if (!on_event_({sequence, event.type, event.data})) {
      last_ = sequence;
      return false;
    }
    last_ = sequence;
    ended_ = of_.is_last(event.type);
    return !ended_;
  }

  /// False: a stop was requested meanwhile.
  bool pause(milliseconds time) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock held{mutex};
    changed.wait_for(held, stop_, time, [] { return false; });
    return !stop_.stop_requested();
  }

  client_options options_;
  host::http_client& http_;
  stream_kind of_;
  std::function<host::http_request()> request_;
  const client::event_function& on_event_;
  std::optional<std::uint64_t> last_;
  std::stop_token stop_;
  std::optional<protocol::error> wrong_;
  bool heard_ = false; ///< on this connection
  bool ended_ = false;
};

} // namespace

protocol::result<observed>
client::observe_session(std::string_view id, const event_function& on_event,
                        std::optional<std::uint64_t> after,
                        std::stop_token stop) const {
  const auto path = "/v1/sessions/" + protocol::percent_encoded(id) + "/events";
  return observer{link_->options(),
                  link_->http(),
                  {.path = path, .first = 1},
                  [this, path] { return link_->request("GET", path); },
                  on_event,
                  after == 0 ? std::nullopt : after,
                  std::move(stop)}
    .run();
}

protocol::result<observed>
client::observe_run(std::string_view id, const event_function& on_event,
                    std::optional<std::uint64_t> after,
                    std::stop_token stop) const {
  const auto path = "/v1/runs/" + protocol::percent_encoded(id)
                    + "/events?streamMode=debug";
  return observer{link_->options(),
                  link_->http(),
                  {.path = path, .first = 0, .is_last = ends_run},
                  [this, path] { return link_->request("GET", path); },
                  on_event,
                  after,
                  std::move(stop)}
    .run();
}

} // namespace convene
