#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// The timeline of an evidence pack: the events of a log in the order that
/// MPLP's Validation Lab asks for, by timestamp and then by event_id, both
/// compared as text. Each line is the log's with members added at its end:
///
/// - `sequence`: the event's place in the log, from 0;
/// - of the event that ends a session: `to_state` and `termination_reason`;
/// - of budget_exceeded: `decision_kind` and `outcome`;
/// - of decision_added: `subject`, `resource`, `action` and `outcome`.
namespace convene::host::pack {

/// An event that shows what a requirement of the Lab's rulesets asks for.
struct evidence {
  std::string requirement; ///< RQ-D1-01 to RQ-D4-01
  std::string event_id;

  bool operator==(const evidence&) const = default;
};

/// What a timeline holds.
struct timeline_facts {
  std::size_t events = 0;
  std::string session;  ///< `session_id` of its events, else `sa_id`
  std::string ended_at; ///< the latest timestamp
  /// In the timeline's order; of each requirement the first 100.
  std::vector<evidence> found;

  bool operator==(const timeline_facts&) const = default;
};

/// Where an event is in a file, and what its place in a timeline follows from.
struct timeline_entry {
  std::string timestamp;
  std::string event_id;
  std::size_t sequence = 0;
  std::size_t offset = 0;
  std::size_t bytes = 0;          ///< without the line's end
  std::vector<const char*> shows; ///< requirements that it is evidence for
};

/// Writes a log's events as a timeline. Holds some 150 bytes of each event; the
/// events themselves are on disk, in a file beside the timeline that is
/// removed.
class timeline_writer {
public:
  explicit timeline_writer(std::filesystem::path to);

  /// Adds the log's next event.
  [[nodiscard]] protocol::result<void> add(std::string_view event);

  [[nodiscard]] protocol::result<timeline_facts> finish();

private:
  std::filesystem::path to_;
  std::filesystem::path unsorted_;
  std::ofstream out_;
  std::vector<timeline_entry> entries_;
  std::size_t offset_ = 0;
  timeline_facts facts_;
};

/// Called for each line that is wrong, counted from 1, with what is wrong.
using timeline_fault = std::function<void(std::size_t line, std::string what)>;

/// Reads a timeline, and writes the log's lines in the log's order to `log`
/// unless there was a fault: a line that is not an event, out of order, with a
/// `sequence` that is missing or there twice, or with other added members than
/// follow from the event.
[[nodiscard]] protocol::result<timeline_facts>
read_timeline(const std::filesystem::path& timeline,
              const std::filesystem::path& log, const timeline_fault& fault);

} // namespace convene::host::pack
