#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/server/runs/run_stream.hpp>
#include <convene/session/workflow/snapshot.hpp>

#include <atomic>
#include <utility>

namespace convene::server {
namespace {

/// How many events are looked at before the reader is sent some.
constexpr std::size_t events_at_once = 64;

/// How much of them is looked at before other connections have their turn.
constexpr std::size_t looked_bytes_max = std::size_t{256} << 10;

std::optional<protocol::run_event> parse_event(const std::string& text) {
  const auto parsed = protocol::parse_json(text);
  if (!parsed)
    return std::nullopt;
  auto event = protocol::decode<protocol::run_event>(*parsed);
  return event ? std::optional{*std::move(event)} : std::nullopt;
}

bool ends_node(std::string_view type) {
  return type == "node.completed" || type == "node.failed"
         || type == "node.cancelled";
}

/// A piece of text, or the end of what a node says.
std::string chunk_event(const protocol::uuid& run, const std::string& node_id,
                        const std::string& text, bool is_last,
                        boost::json::object meta = {}) {
  boost::json::object made{{"runId", to_string(run)},
                           {"nodeId", node_id},
                           {"chunk", text},
                           {"isLast", is_last}};
  if (!meta.empty())
    made["meta"] = std::move(meta);
  return sse_event({}, "ai.message.chunk", boost::json::serialize(made));
}

} // namespace

std::string sse_event(std::string_view id, std::string_view type,
                      std::string_view data) {
  std::string made;
  if (!id.empty())
    made.append("id: ").append(id).append("\n");
  made += "event: ";
  made += type;
  made += "\ndata: ";
  made += data;
  made += "\n\n";
  return made;
}

run_stream::run_stream(std::shared_ptr<hosted_run> run,
                       const stream_modes& modes, std::size_t from,
                       alarms& timer, run_finder again, turn_view view)
  : id_{run->id}, run_{std::move(run)}, known_{run_}, again_{std::move(again)},
    modes_{modes}, view_{std::move(view)}, timer_{timer}, first_{from},
    next_{modes.values ? 0 : from}, listener_{modes.messages
                                                ? run_->listeners->listen()
                                                : nullptr} {
  if (modes_.values) {
    shown_.emplace(to_string(run_->id), run_->workflow);
  }
}

run_stream::~run_stream() {
  stop_waiting();
}

stream_source::part run_stream::read(std::size_t bytes_max,
                                     std::function<void()> more) {
  constexpr std::chrono::milliseconds later{100};
  stop_waiting();
  if (!reach(more))
    return {.again_after = is_refused_ ? later : later.zero(),
            .is_cut = is_lost_->load()};
  part made;
  hear();
  if (!at_end_)
    choose(bytes_max);
  if (may_send(bytes_max))
    made = {.bytes = std::exchange(said_, {}) + take_all(), .is_last = at_end_};
  else if (!said_.empty())
    made.bytes = std::exchange(said_, {});
  else
    wait(std::move(more));
  let_go();
  return made;
}

/// Whether the run is in memory; otherwise `more` is called once it is.
bool run_stream::reach(const std::function<void()>& more) {
  if (!run_)
    run_ = known_.lock();
  if (run_)
    return true;
  if (*is_lost_)
    return false;
  if (auto near = again_.near()) {
    run_ = *std::move(near);
    known_ = run_;
    *is_lost_ = run_ == nullptr;
    return run_ != nullptr;
  }
  is_refused_ = !again_.load([lost = is_lost_, more](bool is_there) {
    if (!is_there)
      *lost = true;
    more();
  });
  return false;
}

/// Between reads, the host decides how much of what has ended is in memory.
void run_stream::let_go() {
  if (again_.near && run_->record->ended() && waiter_ == 0)
    run_.reset();
}

void run_stream::hear() {
  if (!listener_)
    return;
  for (const auto& each : listener_->take()) {
    boost::json::object meta{{"participant", each.who}};
    if (each.dropped != 0)
      meta["droppedBytes"] = each.dropped;
    said_ += chunk_event(id_, each.place, each.text, false, std::move(meta));
    speaking_.insert(each.place);
  }
}

void run_stream::end_chunks(const protocol::run_event& event) {
  if (!event.node_id || !ends_node(event.type))
    return;
  hear();
  if (speaking_.erase(*event.node_id) != 0)
    said_ += chunk_event(id_, *event.node_id, "", true);
}

void run_stream::choose(std::size_t bytes_max) {
  std::size_t looked_bytes = 0;
  while (!at_end_ && collected_bytes_ < bytes_max
         && looked_bytes < looked_bytes_max) {
    const auto found = run_->record->read(next_, events_at_once);
    auto left = found.events.size();
    for (const auto& text : found.events) {
      if (collected_bytes_ >= bytes_max || looked_bytes >= looked_bytes_max)
        break;
      take(text);
      looked_bytes += text->size();
      --left;
    }
    at_end_ = found.is_end && left == 0;
    if (found.events.empty())
      return;
  }
}

void run_stream::take(const event_text& text) {
  const auto sequence = next_++;
  const auto event = parse_event(*text);
  if (!event) // of our own log, and read before
    return;
  end_chunks(*event);
  if (shown_) // what it cannot take leaves the snapshot as it was
    static_cast<void>(shown_->fold(*event));
  const bool is_news = sequence >= first_ && modes_.wants(event->type);
  const bool is_resumed = shown_ && sequence + 1 == first_;
  if (!is_news && !is_resumed)
    return;
  if (collected_.empty())
    since_ = alarms::clock::now();
  is_urgent_ = is_urgent_ || flushes(event->type);
  if (shown_) {
    boost::json::value snapshot = session::snapshot_of(*shown_);
    if (!view_.sees_all())
      view_.apply(snapshot);
    collected_.push_back(
      {sequence, "state.snapshot", boost::json::serialize(snapshot)});
  } else {
    collected_.push_back({sequence, event->type, *view_.apply(text)});
  }
  collected_bytes_ += collected_.back().data.size();
}

bool run_stream::may_send(std::size_t bytes_max) const {
  if (at_end_)
    return true;
  if (collected_.empty())
    return false;
  return is_urgent_ || collected_bytes_ >= bytes_max
         || alarms::clock::now() - since_ >= modes_.buffer;
}

std::string run_stream::take_all() {
  std::string bytes;
  if (modes_.buffer.count() == 0) {
    for (const auto& each : collected_)
      bytes += sse_event(std::to_string(each.sequence), each.type, each.data);
  } else if (!collected_.empty()) {
    std::string list{"["};
    for (const auto& each : collected_) {
      list += list.size() == 1 ? "" : ",";
      list += each.data;
    }
    list += ']';
    bytes = sse_event(std::to_string(collected_.back().sequence), "batch",
                      list);
  }
  collected_.clear();
  collected_bytes_ = 0;
  is_urgent_ = false;
  return bytes;
}

void run_stream::wait(std::function<void()> more) {
  const auto once = std::make_shared<std::atomic<bool>>(false);
  const auto call = [once, more = std::move(more)] {
    if (!once->exchange(true))
      more();
  };
  if (!collected_.empty())
    alarm_ = timer_.at(since_ + modes_.buffer, call);
  waiter_ = run_->record->when_more(next_, call);
  if (listener_)
    listener_->when_more(call);
}

void run_stream::stop_waiting() {
  if (run_)
    run_->record->forget(std::exchange(waiter_, 0));
  if (alarm_)
    timer_.cancel(*alarm_);
  alarm_.reset();
  if (listener_)
    listener_->when_more({});
}

} // namespace convene::server
