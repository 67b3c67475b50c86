#include <convene/server/run_api/event_list.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace convene::server {
namespace {

/// Some events of a run as JSON, part by part.
class event_list_text final : public stream_source {
public:
  event_list_text(run_record::slice of, turn_view view)
    : of_{std::move(of)}, view_{std::move(view)} {}

  part read(std::size_t bytes_max, std::function<void()>) override {
    part made;
    const auto begin = next_;
    if (begin == 0)
      made.bytes = R"({"events":[)";
    // At least one at a time, however long it is.
    while (next_ < of_.events.size()
           && (next_ == begin || made.bytes.size() < bytes_max)) {
      made.bytes += next_ == 0 ? "" : ",";
      made.bytes += *view_.apply(std::exchange(of_.events[next_++], nullptr));
    }
    made.is_last = next_ == of_.events.size();
    if (made.is_last) {
      made.bytes += R"(],"isComplete":)";
      made.bytes += of_.is_complete ? "true}" : "false}";
    }
    return made;
  }

private:
  run_record::slice of_;
  turn_view view_;
  std::size_t next_ = 0;
};

bool is_long(const run_record::slice& list) {
  std::size_t bytes = 0;
  for (const auto& each : list.events)
    bytes += each->size();
  return bytes > event_list_body_max;
}

} // namespace

response event_list(run_record::slice from, const turn_view& view) {
  const bool bit_by_bit = is_long(from);
  auto text = std::make_shared<event_list_text>(std::move(from), view);
  if (bit_by_bit)
    return {.stream = std::move(text)};
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  return {.body = text->read(all, {}).bytes};
}

} // namespace convene::server
