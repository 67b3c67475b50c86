#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/participants/approve_setting.hpp>
#include <convene/runtime/outside/participants/process_settings.hpp>
#include <convene/session/options/options.hpp>

#include <utility>

namespace convene::host {

void describe(auto& v, protocol::of<process_settings> auto& x) {
  using protocol::between;
  v.ignored("type");
  v.member("command", x.command, protocol::at_least_one);
  v.defaulted("mode", x.mode);
  v.defaulted("timeout_ms", x.timeout_ms, between(1, session::duration_ms_max));
  v.defaulted("env", x.env, protocol::unique_texts);
  v.defaulted("cpu_seconds", x.cpu_seconds, between(1, 1'000'000'000));
  v.defaulted("memory_bytes", x.memory_bytes,
              between(1, std::int64_t{1} << 50));
  v.defaulted("output_bytes_max", x.output_bytes_max, between(1, 64 << 20));
  v.defaulted("working_folder", x.working_folder, protocol::not_empty);
  v.defaulted("workspace", x.workspace);
  v.defaulted("repeatable", x.repeatable);
  v.defaulted("retries", x.retries, between(0, 100));
  v.ignored("approve");
}

void check_command(protocol::reading& r,
                   const std::vector<std::string>& command,
                   const protocol::place& at) {
  const protocol::place list{&at, "command", {}};
  for (std::size_t i = 0; i < command.size() && !r.fault; ++i)
    // The system would take what stands before a NUL for the whole.
    if (command[i].find('\0') != std::string::npos
        || (i == 0 && command[i].empty()))
      r.refuse(protocol::place{&list, {}, i}, "pattern",
               "a program needs a name, and no argument may have a NUL in it");
}

protocol::result<process_settings>
read_process_settings(const protocol::json::value& from,
                      std::string_view pointer) {
  auto made = read_with_command<process_settings>(from, pointer);
  if (!made)
    return made;
  protocol::reading r;
  const protocol::place at{.name = pointer};
  read_approve(r, from, at, pattern_of(made->command.front()), made->approve);
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  return made;
}

program program_for(const process_settings& from, std::string file,
                    std::vector<std::string> environment,
                    std::string working_folder) {
  return {
    .path = std::move(file),
    .arguments = from.command,
    .environment = std::move(environment),
    .working_folder = std::move(working_folder),
    .limits
    = {.cpu_seconds = from.cpu_seconds,
       .memory_bytes = from.memory_bytes,
       .output_bytes_max = static_cast<std::size_t>(from.output_bytes_max)},
  };
}

} // namespace convene::host
