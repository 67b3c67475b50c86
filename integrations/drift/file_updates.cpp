#include <convene/integrations/drift/file_updates.hpp>
#include <convene/protocol/boundary/conformance.hpp>
#include <convene/protocol/drift/drift.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/project_folder/open_below.hpp>
#include <convene/runtime/log/files/read_blocks.hpp>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

tl::unexpected<error> bad_event(std::string message, std::string pointer,
                                std::string rule) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule)});
}

result<void> note_path(file_updates& to, const json::object& payload,
                       std::string_view member) {
  const auto path = text_of(payload, member);
  if (const auto why = why_not_below(path); !why.empty())
    return bad_event("the path " + quote(path) + ' ' + std::string{why},
                     "/payload/" + std::string{member}, "path");
  const auto at = parse_timestamp(text_of(payload, "timestamp"));
  if (!at)
    return bad_event("is not a time", "/payload/timestamp", "format");
  if (const auto found = to.latest.find(path); found != to.latest.end())
    found->second = std::max(found->second, *at);
  else if (to.latest.size() == event_paths_max)
    return bad_event("is of one file more than the "
                       + std::to_string(event_paths_max) + " that are followed",
                     "/payload/" + std::string{member}, "event_paths_max");
  else
    to.latest.emplace(path, *at);
  return {};
}

result<void> take_event(file_updates& to, const json::value& event) {
  const auto* const object = event.if_object();
  if (object != nullptr && !object->contains("event_type")
      && object->contains("file_path"))
    return bad_event("has no envelope: make it the payload of a core event of "
                     "the family external_integration that names its source",
                     "", "source");
  if (auto done = boundary::check_conformance(event, "mplp-event-core"); !done)
    return done;
  if (text_of(*object, "event_family") != "external_integration"
      || text_of(*object, "event_type") != "file_update") {
    ++to.passed_over;
    return {};
  }
  if (text_of(*object, "source").empty())
    return bad_event("names no source: say which program it is from", "/source",
                     "source");
  const auto* const payload = object->if_contains("payload");
  if (payload == nullptr)
    return bad_event("has no payload", "/payload", "required");
  if (auto done = boundary::check_conformance(
        *payload, "mplp-file-update-event", "/payload");
      !done)
    return done;
  const auto& members = payload->get_object();
  // Both paths are good, or neither is noted.
  const bool moved = members.contains("previous_path");
  if (const auto why = why_not_below(text_of(members, "file_path"));
      moved && why.empty())
    if (auto done = note_path(to, members, "previous_path"); !done)
      return done;
  if (auto done = note_path(to, members, "file_path"); !done)
    return done;
  ++to.taken;
  return {};
}

void refuse(file_updates& to, error what, std::size_t number) {
  ++to.refused;
  if (to.errors.size() == event_errors_kept)
    return;
  if (what.line == 0)
    what.column = 1;
  what.line = number;
  to.errors.push_back(std::move(what));
}

/// Cuts what is read into lines; of one that is too long, the rest is dropped.
class line_cutter {
public:
  explicit line_cutter(file_updates& to) : to_{to} {
    // nop
  }

  void add(std::string_view bytes) {
    for (auto end = bytes.find('\n'); end != bytes.npos;
         end = bytes.find('\n')) {
      append(bytes.substr(0, end));
      finish();
      bytes.remove_prefix(end + 1);
    }
    append(bytes);
  }

  void finish() {
    if (too_long_)
      refuse(to_,
             {.code = errc::limit_reached,
              .message = "is longer than " + std::to_string(event_bytes_max)
                         + " bytes",
              .rule = "event_bytes_max"},
             number_);
    else
      take_line(to_, line_, number_);
    line_.clear();
    too_long_ = false;
    ++number_;
  }

private:
  void append(std::string_view bytes) {
    too_long_ = too_long_ || line_.size() + bytes.size() > event_bytes_max;
    if (!too_long_)
      line_ += bytes;
  }

  file_updates& to_;
  std::string line_;
  std::size_t number_ = 1;
  bool too_long_ = false;
};

} // namespace

void take_line(file_updates& to, std::string_view line, std::size_t number) {
  if (line.find_first_not_of(" \t\r") == line.npos)
    return;
  const auto event = parse_json(line);
  auto done = event ? take_event(to, *event) : fail(event.error());
  if (!done)
    refuse(to, std::move(done).error(), number);
}

result<file_updates> read_file_updates(const std::filesystem::path& file) {
  const bool standard = file == "-";
  const descriptor in{standard ? ::fcntl(0, F_DUPFD_CLOEXEC, 0)
                               : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!in)
    return fail(read_error(file, errno));
  file_updates made;
  line_cutter lines{made};
  const auto failed = read_blocks(in.get(), [&lines](std::string_view next) {
    lines.add(next);
    return true;
  });
  if (failed)
    return fail(read_error(file, failed.value()));
  lines.finish();
  for (auto& each : made.errors)
    each.file = standard ? "standard input" : file.string();
  return made;
}

} // namespace convene::host
