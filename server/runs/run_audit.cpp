#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/runs/hosted_run.hpp>
#include <convene/server/runs/run_audit.hpp>
#include <convene/server/runs/run_log.hpp>

#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::result;

result<protocol::run_event> decoded(std::string_view text) {
  const auto parsed = protocol::parse_json(text);
  if (!parsed)
    return protocol::fail(parsed.error());
  return protocol::decode<protocol::run_event>(*parsed);
}

} // namespace

run_audit::run_audit(const fs::path& definitions, bool is_trimmed, report to)
  : to_{std::move(to)}, is_trimmed_{is_trimmed}, seals_{is_trimmed} {
  std::error_code failed;
  if (!fs::is_directory(definitions, failed))
    return;
  auto opened = workflow_store::open({}, definitions);
  if (opened)
    definitions_ = *std::move(opened);
}

run_audit::open_run& run_audit::run_of(const protocol::uuid& id,
                                       std::string_view event) {
  const auto known = open_.find(id);
  if (known != open_.end())
    return known->second;
  auto& made = open_[id];
  made.id = to_string(id);
  const bool is_new = seen_.insert(id).second;
  made.is_cut = is_new && is_trimmed_ && !is_first_event(event);
  if (!is_new || !definitions_ || made.is_cut)
    return made;
  const auto text = std::make_shared<const std::string>(event);
  auto of = definitions_->kept(digest_of({text}));
  if (of) {
    made.machine.emplace(made.id, *std::move(of));
    ++judged_;
  } else {
    note(id, std::move(of).error(), {}, 0);
  }
  return made;
}

void run_audit::note(const protocol::uuid& run, protocol::error what,
                     const std::string& file, std::size_t line) {
  if (!wrong_.insert(run).second)
    return;
  if (what.file.empty()) {
    what.file = file;
    what.line = line;
  }
  to_(to_string(run), what);
}

void run_audit::feed(const host::log_place& place, std::string_view line) {
  const auto read = read_run_line(line);
  if (!read)
    return to_({}, {.message = "the line is not an event of a run",
                    .file = place.file,
                    .rule = "not_a_run_log",
                    .line = place.number});
  if (!seals_.take(read->run, read->sealed, read->event))
    note(read->run,
         {.message = "the line does not have the seal that follows from the "
                     "run's lines before it",
          .rule = "run_seal"},
         place.file, place.number);
  const bool had_ended = seen_.contains(read->run)
                         && !open_.contains(read->run);
  if (had_ended)
    return note(read->run,
                {.message = "the run had ended", .rule = "run_order"},
                place.file, place.number);
  auto& run = run_of(read->run, read->event);
  run.file = place.file;
  run.line = place.number;
  const auto event = decoded(read->event);
  auto folded = !event        ? result<void>{protocol::fail(event.error())}
                : run.machine ? run.machine->fold(*event)
                              : result<void>{};
  if (!folded) {
    note(read->run, std::move(folded).error(), place.file, place.number);
    run.machine.reset();
  }
  if (is_last_event(read->event)) {
    open_.erase(read->run);
    seals_.forget(read->run);
  }
}

void run_audit::finish(bool is_whole) {
  for (auto& [id, run] : open_) {
    if (is_whole && run.is_cut)
      note(id,
           {.message = "the run began in removed segments and never ended",
            .rule = "run_end_lost"},
           run.file, run.line);
    if (is_whole && run.machine)
      if (auto whole = run.machine->check_whole(); !whole)
        note(id, std::move(whole).error(), run.file, run.line);
  }
  open_.clear();
}

} // namespace convene::server
