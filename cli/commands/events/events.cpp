#include <convene/cli/commands/events/event_output.hpp>
#include <convene/cli/commands/events/events_arguments.hpp>
#include <convene/cli/commands/events/followed_sessions.hpp>
#include <convene/cli/commands/events/unseen_words.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>
#include <convene/runtime/log/event_log/log_watch.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>

#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;
using host::log_cursor;
using host::log_reader;

/// Reads a log as the arguments ask, and keeps what is to be said at the end.
class events_command {
public:
  events_command(const events_arguments& arguments, event_output& output)
    : arguments_{arguments}, output_{output} {
    ending_.log = arguments.log;
    // Where it is not read from its beginning to its end, nobody knows.
    if (!arguments.after && !arguments.follow)
      unseen_.emplace(arguments.filter, arguments.session);
    if (arguments.follow)
      followed_.emplace(arguments.log, arguments.filter.session);
  }

  /// `watch` is there if the log is to be followed.
  void run(host::log_watch* watch) {
    auto done = result<void>{};
    if (followed_ && arguments_.after)
      done = followed_->look_back();
    if (done && by_index())
      done = read_session();
    if (done && !stopped_ && (!by_index() || watch != nullptr))
      done = read_on(watch);
    ending_.is_read = done && !stopped_;
    if (ending_.is_read && unseen_)
      done = unseen_->verdict();
    if (!done)
      ending_.error = std::move(done).error();
  }

  [[nodiscard]] const event_output::ending& ending() const noexcept {
    return ending_;
  }

private:
  /// The whole of one session: the one case in which little is to be read.
  [[nodiscard]] bool by_index() const {
    return arguments_.filter.session && !arguments_.after && !arguments_.limit;
  }

  result<void> read_session() {
    std::optional<error> refused;
    const auto read = host::visit_session(
      arguments_.log, *arguments_.filter.session,
      [&](const host::log_place& at, std::string_view text) {
        if (auto ok = see(text, at.file, at.number); !ok)
          refused = std::move(ok).error();
        return !stopped_ && !refused;
      });
    if (refused)
      return fail(*std::move(refused));
    if (!read)
      return fail(read.error());
    after_ = read->end;
    ending_.cursor = to_string(read->end);
    ending_.unacknowledged_bytes = read->unacknowledged_bytes;
    return {};
  }

  result<void> read_on(host::log_watch* watch) {
    ending_.unacknowledged_bytes = 0; // it may be acknowledged by now
    auto reader = log_reader::open(arguments_.log,
                                   arguments_.after.value_or(after_));
    if (!reader)
      return fail(std::move(reader).error());
    auto done = read_on(*reader, watch);
    ending_.cursor = to_string(reader->cursor());
    if (done && !stopped_ && watch == nullptr) {
      const auto& tail = reader->unacknowledged_bytes();
      if (!tail)
        return fail(tail.error());
      ending_.unacknowledged_bytes = *tail;
    }
    return done;
  }

  result<void> read_on(log_reader& reader, host::log_watch* watch) {
    while (!stopped_ && (watch == nullptr || !watch->stopped())) {
      const auto event = reader.next();
      if (!event)
        return fail(event.error());
      if (*event) {
        const auto& file = reader.segments()[(*event)->file_index].path;
        if (auto ok = see((*event)->text, file, (*event)->number); !ok)
          return ok;
        continue;
      }
      flush_output();
      if (watch == nullptr || followed_->is_over() || output_gone()
          || !watch->wait())
        break;
    }
    return {};
  }

  result<void> see(std::string_view text, const std::filesystem::path& file,
                   std::uint64_t number) {
    if (arguments_.filter.matches(text)) {
      if (auto ok = output_.show(text); !ok) {
        auto what = std::move(ok).error();
        what.file = file.string();
        what.line = number;
        return fail(std::move(what));
      }
      // Of a pipe only now and then: what is written is buffered.
      if (output_.shown() % 64 == 0 && output_gone())
        stopped_ = true;
      if (arguments_.limit && output_.shown() >= *arguments_.limit)
        stopped_ = ending_.more = true;
    }
    if (unseen_)
      unseen_->see(text);
    if (followed_ && !followed_->is_over()) {
      followed_->see(text);
      stopped_ = stopped_ || followed_->is_over();
    }
    return {};
  }

  const events_arguments& arguments_;
  event_output& output_;
  event_output::ending ending_;
  std::optional<unseen_words> unseen_;
  std::optional<followed_sessions> followed_;
  log_cursor after_;
  bool stopped_ = false;
};

event_form form_of(const events_arguments& arguments,
                   const common_options& common) {
  if (common.json)
    return event_form::json;
  if (arguments.lines)
    return event_form::lines;
  return common.quiet ? event_form::none : event_form::rows;
}

result<int> events(const events_arguments& given,
                   const common_options& common) {
  const auto read = complete(given, common);
  if (!read)
    return fail(read.error());
  const auto& arguments = *read;
  if (!arguments.salvage.empty())
    return salvage(arguments, common);
  event_output output{form_of(arguments, common),
                      output_style(common.no_color, common.verbose)};
  events_command command{arguments, output};
  if (!arguments.follow) {
    command.run(nullptr);
    return output.finish(command.ending());
  }
  host::log_watch watch{arguments.log};
  const signal_watch signals{[&watch] { watch.stop(); }};
  command.run(&watch);
  const auto code = output.finish(command.ending());
  return signals.exit_code(code);
}

} // namespace

void add_events(const command_line& program) {
  program.add<events_arguments>("events", events, declare);
}

} // namespace convene::cli
