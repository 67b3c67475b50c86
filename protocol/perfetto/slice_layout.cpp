#include <convene/protocol/perfetto/slice_layout.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace convene::protocol {
namespace {

/// Who is at work: the session for its own span.
std::string lane_of(const std::vector<trace_span>& spans, std::size_t index) {
  for (const auto* member : {"gen_ai.agent.name", "mplp.participant_id"}) {
    const auto* name = spans[index].attributes.if_contains(member);
    if (index != 0 && name != nullptr && name->is_string())
      return std::string{name->get_string()};
  }
  const auto parent = spans[index].parent;
  return parent && *parent != 0 ? lane_of(spans, *parent) : std::string{};
}

} // namespace

slice_layout lay_out(const span_trace& trace) {
  const auto& spans = trace.spans;
  slice_layout made{.tracks = {{}},
                    .track_of = std::vector<std::size_t>(spans.size())};
  made.order.resize(spans.size());
  std::iota(made.order.begin(), made.order.end(), std::size_t{0});
  // Parents are before their children in the trace, too.
  std::ranges::stable_sort(made.order, {}, [&](std::size_t index) {
    return spans[index].start;
  });
  std::vector<std::vector<timestamp_ms>> open(1); // ends, inner ones last
  std::map<std::string, std::vector<std::size_t>> lanes{{{}, {0}}};
  for (const auto index : made.order) {
    const auto& span = spans[index];
    const auto fits = [&](std::size_t track) {
      auto& ends = open[track];
      while (!ends.empty() && ends.back() <= span.start)
        ends.pop_back();
      return ends.empty() || ends.back() >= span.end;
    };
    const auto name = lane_of(spans, index);
    auto& lane = lanes[name];
    auto place = std::ranges::find_if(lane, fits);
    if (place == lane.end()) {
      lane.push_back(made.tracks.size());
      made.tracks.push_back({name, lane.size()});
      open.emplace_back();
      place = std::prev(lane.end());
    }
    made.track_of[index] = *place;
    open[*place].push_back(span.end);
  }
  return made;
}

} // namespace convene::protocol
