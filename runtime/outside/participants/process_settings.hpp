#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/processes/program.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {

enum class process_mode : std::uint8_t {
  once,  ///< started for each request
  lines, ///< stays; one line each way for each request
};

enum class process_workspace : std::uint8_t { snapshot, changes };

/// {"type": "process", ...}; see docs/agents/process.md.
struct process_settings {
  std::vector<std::string> command; ///< at least the program
  process_mode mode = process_mode::once;
  std::int64_t timeout_ms = 300'000;       ///< of one attempt
  std::vector<std::string> env;            ///< names of variables that it gets
  std::int64_t cpu_seconds = 0;            ///< 0: no bound
  std::int64_t memory_bytes = 0;           ///< 0: no bound
  std::int64_t output_bytes_max = 1 << 20; ///< of an answer
  std::string working_folder;              ///< empty: convene gives it one
  process_workspace workspace = process_workspace::snapshot;
  bool repeatable = false;
  std::int64_t retries = 0;
  std::vector<std::string>
    approve; ///< patterns; a person approves its requests
};

/// Refuses a command without a program or with a NUL; `at` is what contains it.
void check_command(protocol::reading& r,
                   const std::vector<std::string>& command,
                   const protocol::place& at);

/// Reads settings that have a command; `pointer` is their place, for errors.
/// For sources that describe them.
template <class Settings>
protocol::result<Settings>
read_with_command(const protocol::json::value& from, std::string_view pointer) {
  protocol::reading r;
  Settings made;
  const protocol::place at{.name = pointer};
  read(r, from, at, protocol::anything, made);
  if (!r.fault)
    check_command(r, made.command, at);
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  return made;
}

/// Reads the settings; `pointer` is their place, for errors.
[[nodiscard]] protocol::result<process_settings>
read_process_settings(const protocol::json::value& from,
                      std::string_view pointer);

/// The program that they name, with the file that was found for it, what it
/// gets of the environment (NAME=value) and the folder that it works in.
[[nodiscard]] program
program_for(const process_settings& from, std::string file,
            std::vector<std::string> environment, std::string working_folder);

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::array<std::string_view, 2> process_mode_words{"once",
                                                                    "lines"};
template <>
inline constexpr std::span<const std::string_view> words_of<host::process_mode>{
  process_mode_words};

inline constexpr std::array<std::string_view, 2> process_workspace_words{
  "snapshot", "changes"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<host::process_workspace>{process_workspace_words};

} // namespace convene::protocol
