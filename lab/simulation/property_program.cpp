#include <boost/json/serialize.hpp>
#include <convene/lab/simulation/property_program.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

std::string reason_in(const std::string& output) {
  return shorten(sanitize_utf8(output.substr(0, output.find('\n'))));
}

program program_of(const property& what) {
  program made{.path = what.program, .arguments = {what.program}};
  for (const auto* name : {"PATH", "HOME", "LANG"})
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    if (const auto* value = std::getenv(name))
      made.environment.push_back(std::string{name} + '=' + value);
  std::error_code failed;
  made.working_folder = std::filesystem::current_path(failed).string();
  made.limits.time_ms = property_program_ms_max;
  made.limits.output_bytes_max = property_output_bytes_max;
  made.shown = what.name;
  return made;
}

} // namespace

result<property> find_property_program(const std::string& path) {
  const auto found = find_program(path);
  if (found.empty())
    return fail(errc::usage,
                "--property-program " + shorten(path) + ": "
                  + why_no_program(path),
                "property_program");
  property made{.name = sanitize_utf8(
                  std::filesystem::path{path}.filename().string()),
                .what = property::kind::program};
  made.program = found.string();
  return made;
}

bool property_programs::holds(const property& what, std::uint64_t seed,
                              const boost::json::object& result,
                              const seed_log& log,
                              const std::atomic<bool>& stop,
                              seed_findings& found) {
  // Shared: who sees the result may be gone before who tells it has returned.
  const auto told = std::make_shared<std::promise<program_result>>();
  auto ended = told->get_future();
  auto input = boost::json::serialize(
                 boost::json::object{{"seed", seed}, {"result", result}})
               + '\n' + log.text;
  const auto end = programs_.run_once(program_of(what), std::move(input),
                                      error_line_, [told](program_result made) {
                                        told->set_value(std::move(made));
                                      });
  constexpr std::chrono::milliseconds moment{50};
  while (ended.wait_for(moment) != std::future_status::ready)
    if (stop)
      end();
  const auto made = ended.get();
  if (made.end.code.empty() || (stop && made.end.code == "cancelled"))
    return true;
  const bool judged = made.end.code == "exit_code" && made.end.exit_code == 1;
  if (!judged) {
    found.add({.rule = "property_program",
               .message = what.name + ": " + made.end.message});
    return false;
  }
  const auto why = reason_in(made.output);
  found.add({.rule = "property",
             .message = what.name + ": "
                        + (why.empty() ? "its program says no" : why)});
  return false;
}

} // namespace convene::host
