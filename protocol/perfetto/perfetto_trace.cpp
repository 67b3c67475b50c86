#include <convene/protocol/perfetto/perfetto_trace.hpp>
#include <convene/protocol/perfetto/proto_writer.hpp>
#include <convene/protocol/perfetto/slice_layout.hpp>

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace convene::protocol {
namespace {

// Numbers of fields and values as Perfetto's .proto files have them;
// tests/exports/trace.proto names those that are used.
namespace packet {
constexpr std::uint32_t clock_snapshot = 6;
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t sequence_id = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t sequence_flags = 13;
constexpr std::uint32_t track_descriptor = 60;
} // namespace packet

namespace track_event {
constexpr std::uint32_t debug_annotations = 4;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t track_uuid = 11;
constexpr std::uint32_t categories = 22;
constexpr std::uint32_t name = 23;
constexpr std::uint32_t flow_ids = 47;
constexpr std::uint32_t terminating_flow_ids = 48;
constexpr std::uint64_t slice_begin = 1;
constexpr std::uint64_t slice_end = 2;
constexpr std::uint64_t instant = 3;
} // namespace track_event

namespace descriptor {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t parent_uuid = 5;
} // namespace descriptor

namespace annotation {
constexpr std::uint32_t boolean = 2;
constexpr std::uint32_t integer = 4;
constexpr std::uint32_t real = 5;
constexpr std::uint32_t text = 6;
constexpr std::uint32_t name = 10;
constexpr std::uint32_t array = 12;
} // namespace annotation

constexpr std::uint64_t clock_realtime = 1;
constexpr std::uint64_t clock_boottime = 6;
constexpr std::uint64_t state_cleared = 1;

/// Milliseconds as nanoseconds, which end in 2262; times are never before 1970.
std::uint64_t nanoseconds(timestamp_ms at) {
  constexpr timestamp_ms last = 9'223'372'036'854;
  return static_cast<std::uint64_t>(std::clamp<timestamp_ms>(at, 0, last))
         * 1'000'000U;
}

std::uint64_t uuid_of_track(std::size_t track) {
  return track + 1;
}

void set_annotation(proto_writer& to, const json::value& value) {
  if (const auto* flag = value.if_bool())
    to.number(annotation::boolean, *flag ? 1 : 0);
  else if (const auto* count = value.if_int64())
    to.integer(annotation::integer, *count);
  else if (const auto* real = value.if_double())
    to.real(annotation::real, *real);
  else if (const auto* words = value.if_string())
    to.text(annotation::text, *words);
  else if (const auto* list = value.if_array())
    for (const auto& one : *list) {
      proto_writer item;
      set_annotation(item, one);
      to.message(annotation::array, item);
    }
}

void annotate(proto_writer& event, const json::object& attributes) {
  for (const auto& [name, value] : attributes) {
    proto_writer made;
    made.text(annotation::name, name);
    set_annotation(made, value);
    event.message(track_event::debug_annotations, made);
  }
}

/// Writes packets in the order in which they are to be read: a slice ends
/// before another begins at the same time, an inner one before an outer one.
class trace_builder {
public:
  explicit trace_builder(const span_trace& trace)
    : trace_(trace), layout_(lay_out(trace)), given_(trace.spans.size()) {
    // nop
  }

  std::string build() && {
    clocks();
    for (std::size_t track = 0; track < layout_.tracks.size(); ++track)
      describe(track);
    for (std::size_t i = 0; i < trace_.spans.size(); ++i)
      if (const auto from = trace_.spans[i].linked)
        given_[*from].push_back(i);
    for (const auto index : layout_.order) {
      end_until(trace_.spans[index].start);
      begin(index);
    }
    while (!open_.empty())
      end_next();
    instants();
    std::ranges::stable_sort(timed_, {}, &timed_packet::at);
    for (const auto& [at, bytes] : timed_)
      all_.text(1, bytes);
    return all_.bytes();
  }

private:
  struct timed_packet {
    timestamp_ms at = 0;
    std::string bytes;
  };

  /// Ends earlier first, of those at one time the one that began last.
  struct open_slice {
    timestamp_ms end = 0;
    std::size_t place = 0; ///< in the order of beginnings
    std::size_t index = 0;
    friend bool operator<(const open_slice& one, const open_slice& other) {
      return std::tuple{-one.end, one.place}
             < std::tuple{-other.end, other.place};
    }
  };

  static proto_writer new_packet() {
    proto_writer made;
    made.number(packet::sequence_id, 1);
    return made;
  }

  /// The log's clock is that of the day.
  void clocks() {
    const auto at = nanoseconds(trace_.spans.front().start);
    proto_writer snapshot;
    for (const auto id : {clock_realtime, clock_boottime}) {
      proto_writer clock;
      clock.number(1, id).number(2, at);
      snapshot.message(1, clock);
    }
    auto made = new_packet();
    made.number(packet::sequence_flags, state_cleared)
      .message(packet::clock_snapshot, snapshot);
    all_.message(1, made);
  }

  void describe(std::size_t track) {
    const auto& [name, count] = layout_.tracks[track];
    proto_writer made;
    made.number(descriptor::uuid, uuid_of_track(track));
    if (name.empty()) {
      made.text(descriptor::name,
                count == 1 ? trace_.spans.front().name : "session");
    } else {
      made.text(descriptor::name,
                count == 1 ? name : name + " (" + std::to_string(count) + ')');
    }
    if (track != 0)
      made.number(descriptor::parent_uuid, uuid_of_track(0));
    auto whole = new_packet();
    whole.message(packet::track_descriptor, made);
    all_.message(1, whole);
  }

  void add(timestamp_ms at, const proto_writer& event) {
    auto made = new_packet();
    made.number(packet::timestamp, nanoseconds(at))
      .message(packet::track_event, event);
    timed_.push_back({at, made.bytes()});
  }

  [[nodiscard]] proto_writer event_on(std::size_t index,
                                      std::uint64_t type) const {
    proto_writer made;
    made.number(track_event::type, type)
      .number(track_event::track_uuid, uuid_of_track(layout_.track_of[index]));
    return made;
  }

  void begin(std::size_t index) {
    const auto& span = trace_.spans[index];
    auto event = event_on(index, track_event::slice_begin);
    event.text(track_event::categories, "session")
      .text(track_event::name, span.name);
    annotate(event, span.attributes);
    if (span.status == span_status::error)
      annotate(event, {{"error", span.message}});
    // A flow has the number of the span that it leads to, from 1.
    for (const auto to : given_[index])
      event.fixed(track_event::flow_ids, to + 1);
    if (span.linked)
      event.fixed(track_event::terminating_flow_ids, index + 1);
    add(span.start, event);
    open_.push({span.end, begun_++, index});
  }

  void end_next() {
    const auto [end, place, index] = open_.top();
    open_.pop();
    add(end, event_on(index, track_event::slice_end));
  }

  void end_until(timestamp_ms at) {
    while (!open_.empty() && open_.top().end <= at)
      end_next();
  }

  void instants() {
    for (std::size_t i = 0; i < trace_.spans.size(); ++i)
      for (const auto& noted : trace_.spans[i].events) {
        auto event = event_on(i, track_event::instant);
        event.text(track_event::categories, "session")
          .text(track_event::name, noted.name);
        annotate(event, noted.attributes);
        add(noted.at, event);
      }
  }

  const span_trace& trace_;
  slice_layout layout_;
  std::vector<std::vector<std::size_t>> given_; ///< by span: what it led to
  std::priority_queue<open_slice> open_;
  std::size_t begun_ = 0;
  std::vector<timed_packet> timed_;
  proto_writer all_;
};

} // namespace

std::string perfetto_trace(const span_trace& trace) {
  return trace.spans.empty() ? std::string{} : trace_builder{trace}.build();
}

} // namespace convene::protocol
