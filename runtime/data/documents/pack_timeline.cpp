#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/data/documents/pack_timeline.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

namespace convene::host::pack {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

constexpr std::ptrdiff_t evidence_max = 100;

/// What an event decides, as members that rulesets look for, and the
/// requirements that it is evidence for.
struct decision {
  json::object members;
  std::vector<const char*> shows;
};

decision decision_of(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (type == "MAPSessionCompleted" || type == "SACompleted") {
    const auto status = text_of(payload, "status");
    return {{{"to_state", status}, {"termination_reason", status}},
            {"RQ-D2-01", "RQ-D4-01"}};
  }
  if (type == "budget_exceeded")
    return {{{"decision_kind", "budget"}, {"outcome", "deny"}}, {"RQ-D1-01"}};
  if (type == "decision_added") {
    const auto& what = object_of(payload, "decision");
    const bool is_denied = text_of(what, "status") == "rejected";
    return {{{"subject", text_of(what, "decided_by_role")},
             {"resource",
              "confirm/" + std::string{text_of(payload, "confirm_id")}},
             {"action", "approve"},
             {"outcome", is_denied ? "deny" : "allow"}},
            {"RQ-D3-01"}};
  }
  return {};
}

/// The end of an event's line, with what is added to it.
std::string added_to(const json::object& event, std::size_t sequence) {
  std::string text = ",\"sequence\":" + std::to_string(sequence);
  for (const auto& [name, value] : decision_of(event).members)
    text += "," + json::serialize(name) + ":" + json::serialize(value);
  return text + "}";
}

void note(timeline_facts& facts, const json::object& event) {
  ++facts.events;
  const auto session
    = text_of(event, event.contains("session_id") ? "session_id" : "sa_id");
  if (facts.session.empty() || (!session.empty() && session < facts.session))
    facts.session = session;
  if (const auto at = text_of(event, "timestamp"); facts.ended_at < at)
    facts.ended_at = at;
}

auto place_of(const timeline_entry& entry) {
  return std::tie(entry.timestamp, entry.event_id);
}

/// Of entries in a timeline's order.
std::vector<evidence> evidence_in(const std::vector<timeline_entry>& entries) {
  std::vector<evidence> found;
  for (const auto& each : entries)
    for (const auto* requirement : each.shows)
      if (std::ranges::count(found, requirement, &evidence::requirement)
          < evidence_max)
        found.push_back({requirement, each.event_id});
  return found;
}

result<json::object> read_event(std::string_view line) {
  auto parsed = parse_json(line);
  if (!parsed)
    return fail(std::move(parsed).error());
  if (!parsed->is_object() || !line.ends_with('}'))
    return fail(errc::invalid_document, "the line is not an event", "type");
  return std::move(parsed->get_object());
}

/// Copies the parts of a file that entries name, each as a line.
result<void> copy_lines(const fs::path& from,
                        const std::vector<timeline_entry>& entries,
                        const fs::path& to, std::string_view line_end = "\n") {
  std::ifstream in{from, std::ios::binary};
  std::ofstream out{to, std::ios::binary};
  std::string line;
  for (const auto& each : entries) {
    line.resize(each.bytes);
    in.seekg(static_cast<std::streamoff>(each.offset));
    in.read(line.data(), static_cast<std::streamsize>(line.size()));
    out << line << line_end;
  }
  out.close();
  if (!in)
    return fail(file_error(errc::unreadable, from, "cannot be read"));
  if (!out)
    return fail(file_error(errc::io_failed, to, "cannot be written"));
  return {};
}

/// Reads a timeline's lines, one after another.
class timeline_reader {
public:
  explicit timeline_reader(const timeline_fault& fault) : fault_{fault} {}

  void add(std::string_view line, std::size_t number) {
    const auto offset = std::exchange(offset_, offset_ + line.size() + 1);
    const auto event = read_event(line);
    if (!event)
      return say(number, "is not an event");
    note(facts, *event);
    const auto sequence = integer_of(*event, "sequence");
    if (!sequence || *sequence < 0)
      return say(number, "has no \"sequence\"");
    timeline_entry entry{.timestamp = std::string{text_of(*event, "timestamp")},
                         .event_id = std::string{text_of(*event, "event_id")},
                         .sequence = static_cast<std::size_t>(*sequence),
                         .offset = offset,
                         .shows = decision_of(*event).shows};
    if (!entries.empty() && place_of(entries.back()) >= place_of(entry))
      say(number, "is not in order by \"timestamp\" and \"event_id\"");
    const auto added = added_to(*event, entry.sequence);
    if (line.ends_with(added))
      entry.bytes = line.size() - added.size();
    else
      say(number, "has other members at its end than follow from its event");
    entries.push_back(std::move(entry));
  }

  /// Puts the entries into the order of the log.
  void sort() {
    facts.found = evidence_in(entries);
    std::ranges::sort(entries, {}, &timeline_entry::sequence);
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].sequence != i)
        return say(0, "has no event of the sequence " + std::to_string(i)
                        + ", or more than one");
  }

  timeline_facts facts;
  std::vector<timeline_entry> entries;
  bool is_good = true;

private:
  void say(std::size_t number, std::string what) {
    is_good = false;
    fault_(number, std::move(what));
  }

  const timeline_fault& fault_;
  std::size_t offset_ = 0;
};

} // namespace

timeline_writer::timeline_writer(fs::path to)
  : to_{std::move(to)}, unsorted_{to_.string() + unfinished_ending},
    out_{unsorted_, std::ios::binary} {}

result<void> timeline_writer::add(std::string_view event) {
  const auto read = read_event(event);
  if (!read)
    return fail(read.error());
  const auto added = added_to(*read, entries_.size());
  event.remove_suffix(1);
  out_ << event << added;
  entries_.push_back({.timestamp = std::string{text_of(*read, "timestamp")},
                      .event_id = std::string{text_of(*read, "event_id")},
                      .sequence = entries_.size(),
                      .offset = offset_,
                      .bytes = event.size() + added.size(),
                      .shows = decision_of(*read).shows});
  offset_ += entries_.back().bytes;
  note(facts_, *read);
  return {};
}

result<timeline_facts> timeline_writer::finish() {
  out_.close();
  if (!out_)
    return fail(file_error(errc::io_failed, unsorted_, "cannot be written"));
  std::ranges::sort(entries_, {}, place_of);
  facts_.found = evidence_in(entries_);
  auto copied = copy_lines(unsorted_, entries_, to_);
  std::error_code failed;
  fs::remove(unsorted_, failed);
  if (!copied)
    return fail(std::move(copied).error());
  return facts_;
}

result<timeline_facts> read_timeline(const fs::path& timeline,
                                     const fs::path& log,
                                     const timeline_fault& fault) {
  timeline_reader reader{fault};
  auto read = visit_lines(
    timeline, [&](std::string_view line, std::size_t number) -> result<void> {
      reader.add(line, number);
      return {};
    });
  if (!read)
    return fail(std::move(read).error());
  reader.sort();
  if (reader.is_good)
    if (auto copied = copy_lines(timeline, reader.entries, log, "}\n"); !copied)
      return fail(std::move(copied).error());
  return std::move(reader.facts);
}

} // namespace convene::host::pack
