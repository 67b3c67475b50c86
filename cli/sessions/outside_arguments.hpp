#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/cli/view/session_screen.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/runtime.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace convene::cli {

/// What sessions may reach outside, as the command line has it. It is never
/// kept: `resume` asks for it again.
struct outside_arguments {
  std::vector<std::string> allow;
  bool interactive = false; ///< people answer at the terminal
  bool sandbox = false;
  bool log_prompts = false;
  std::string show_text = "auto"; ///< auto, always or never
};

/// Declares --allow, --interactive, --sandbox, --log-prompts and --show-text.
void add_outside(const command_line& command, outside_arguments& arguments);

/// Where sessions are shown on standard output while they run; null where they
/// are not: with --json, --quiet and more than one session. What models say is
/// shown at a terminal only, unless --show-text decides.
[[nodiscard]] protocol::result<std::shared_ptr<session_screen>>
make_screen(const outside_arguments& arguments, const common_options& common,
            std::uint32_t instances);

/// Sessions may read what is in and below their own folder: this one, or that
/// of this file. One that is not there is for who reads it to complain of.
void allow_own_files(const std::filesystem::path& path,
                     runtime_options& runtime);

/// Sets what a runtime needs of it. People are asked on standard output, with
/// --json and --quiet on standard error; one who leaves sends SIGINT to the
/// program, which suspends its sessions. `screen`, which may be null, gets what
/// models say, and is held while a person types. Starts no thread.
[[nodiscard]] protocol::result<void>
apply(const outside_arguments& arguments, const common_options& common,
      const std::shared_ptr<session_screen>& screen, runtime_options& runtime);

} // namespace convene::cli
