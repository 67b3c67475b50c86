#include <boost/json/serialize.hpp>
#include <convene/cli/commands/events/event_output.hpp>
#include <convene/cli/commands/events/event_row.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

namespace convene::cli {

using namespace convene::protocol;

event_output::event_output(event_form form, timeline_style style)
  : form_{form}, style_{style} {
  // nop
}

result<void> event_output::show(std::string_view event) {
  switch (form_) {
    case event_form::rows:
      print(event_row(event, style_));
      break;
    case event_form::lines:
      print_json_text(event);
      print("\n");
      break;
    case event_form::json:
      if (auto read = parse_json(event); !read)
        return fail(std::move(read).error());
      print(shown_ == 0 ? "{\"events\": [\n" : ",\n");
      print_json_text(event);
      break;
    case event_form::none:
      break;
  }
  ++shown_;
  return {};
}

int event_output::finish(const ending& how) {
  if (form_ != event_form::json) {
    if (form_ != event_form::none && how.unacknowledged_bytes != 0)
      print_note(fmt::format("{}: {} bytes at the end were never acknowledged",
                             how.log, how.unacknowledged_bytes));
    if (how.cursor && form_ != event_form::none && (how.more || style_.verbose))
      print_note("continue with --after " + *how.cursor);
    return how.error ? report(*how.error, false) : exit_good;
  }
  // An error that keeps all events from being read is a document of its own.
  if (how.error && shown_ == 0 && !how.is_read)
    return report(*how.error, true);
  json::object rest{{"log", sanitize_utf8(how.log)},
                    {"more", how.more},
                    {"unacknowledged_bytes", how.unacknowledged_bytes},
                    {"cursor", how.cursor ? json::value(*how.cursor)
                                          : json::value(nullptr)}};
  if (how.error)
    rest["error"] = error_json(*how.error).at("error");
  const auto members = json::serialize(rest);
  print(shown_ == 0 ? "{\"events\": [" : "");
  print("],\n");
  print_json_text(std::string_view{members}.substr(1));
  print("\n");
  return how.error ? exit_code(how.error->code) : exit_good;
}

} // namespace convene::cli
