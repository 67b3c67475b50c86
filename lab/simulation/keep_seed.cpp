#include <convene/lab/simulation/keep_seed.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/session_documents.hpp>
#include <convene/runtime/sinks.hpp>

#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// In the same appends, so that its groups are the same, too; with faults, as
/// they have left it.
result<void> write_log(const std::filesystem::path& file,
                       const session::spec& what, std::uint64_t seed,
                       const seed_log& log) {
  if (!log.file.empty())
    return write_file(file, log.file);
  auto how = options_for_seed(what, seed);
  how.log = file;
  how.durability = durability::none; // of what can be had again
  auto opened = event_log_writer::open(file, log_options_for(how));
  if (!opened)
    return fail(std::move(opened).error());
  result<log_position> appended = 0;
  if (log.ends.empty()) // under faults, in segments
    log.for_each([&](std::size_t, std::string_view line) {
      if (appended)
        appended = (*opened)->append(std::string{line} + '\n');
    });
  if (!appended)
    return fail(std::move(appended).error());
  std::size_t begin = 0;
  for (const auto end : log.ends) {
    const auto lines = std::string_view{log.text}.substr(begin, end - begin);
    if (appended = (*opened)->append(lines); !appended)
      return fail(std::move(appended).error());
    begin = end;
  }
  return (*opened)->flush().and_then([&] { return (*opened)->close(); });
}

session_documents documents_of(const seed_log& log,
                               const session_result& ended) {
  trace_builder trace;
  trace.add(log.text);
  return make_documents(ended, trace);
}

} // namespace

result<void> keep_seed(const std::filesystem::path& folder,
                       const seeded_scenario& scenario, std::uint64_t seed,
                       const seed_log& log, const session_result* ended) {
  const auto out = output_folder::create(folder, false);
  if (!out)
    return fail(out.error());
  const auto kept = out->write_scenario(session::encode(scenario.spec))
                      .and_then([&] {
                        return out->write_settings(
                          {.virtual_time = true, .aliases = scenario.aliases});
                      })
                      .and_then([&] {
                        return write_log(out->log(), scenario.spec, seed, log);
                      });
  if (!kept || ended == nullptr)
    return kept;
  const auto written = out->write_session(documents_of(log, *ended));
  return written ? result<void>{} : fail(written.error());
}

} // namespace convene::host
