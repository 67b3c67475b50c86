#pragma once

#include <convene/protocol/documents/action.hpp>
#include <convene/protocol/json/known_secrets.hpp>
#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/outside/processes/checked_place.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Bounds of one program. Reaching one ends it with an error of the same name.
struct program_limits {
  std::int64_t time_ms = 0;     ///< how long it may run; 0: as long as it likes
  std::int64_t cpu_seconds = 0; ///< of each of its processes; 0: no bound
  std::int64_t memory_bytes = 0; ///< address space of each; 0: no bound
  /// Of standard output; if it is read line by line, of each line.
  std::size_t output_bytes_max = std::size_t{8} << 20;
  /// Between SIGTERM and SIGKILL, whatever the reason for its end.
  std::int64_t grace_ms = 2000;
};

/// Receives a socket that listens in a program's own network, at
/// 127.0.0.1:`network_door_port`: the only way out of it. What is returned is
/// kept until the program has ended. Called on the loop's thread; must not
/// block.
using network_door = std::function<std::shared_ptr<void>(descriptor)>;

inline constexpr std::uint16_t network_door_port = 3128;

/// A program to run. There is no shell, and nothing is inherited but the user's
/// rights: no file, no environment variable, no signal mask. It cannot gain
/// privileges: programs like sudo do not work in it.
struct program {
  std::string path;                     ///< absolute
  std::vector<std::string> arguments;   ///< with its name, argv[0]
  std::vector<std::string> environment; ///< NAME=value
  std::string working_folder;           ///< absolute
  program_limits limits;
  std::string shown = {}; ///< what messages call it; empty: its path
  /// Bytes of a file that it has open as descriptor 4: for bubblewrap, the
  /// filter of system calls. Empty: no such file.
  std::string call_filter = {};
  /// If it is there, the program has a network of its own, of a loopback only.
  network_door network = {};
  /// Masked in what it writes to standard error, before lines are cut. Null:
  /// none.
  std::shared_ptr<const protocol::known_secrets> secrets = {};
  std::size_t longest_secret = 0; ///< bytes
  /// What must be where it was when it was checked, or the program is not
  /// started. If the working folder is among them, it is entered by what was
  /// checked.
  std::vector<checked_place> places = {};
  std::shared_ptr<void> claim = {}; ///< of its folders, among `folder_claims`
};

/// What messages call a program.
[[nodiscard]] inline const std::string& name_of(const program& what) {
  return what.shown.empty() ? what.path : what.shown;
}

/// How a program ended. By then all of its descendants have ended, too.
struct program_end {
  protocol::action_status status = protocol::action_status::completed;
  int exit_code = -1; ///< -1: it did not exit by itself
  int signal = 0;     ///< that ended it; 0: none
  /// Empty if it exited with 0, else:
  /// - `not_started`: the file cannot be executed, or the folder is not there;
  /// - `exit_code`, `signal`, `cpu_seconds`: how it ended by itself;
  /// - `time_out`, `output_bytes_max`, `input_bytes_max`, `cancelled`: why it
  ///   was ended;
  /// - `programs_max`, `system_limit`: there was no room for it;
  /// - `supervisor_lost`: somebody killed its supervisor.
  std::string code;
  std::string message;     ///< for people, with the end of standard error
  std::string last_errors; ///< the end of standard error, valid UTF-8

  bool operator==(const program_end&) const = default;
};

/// The end of a program that was run once, and what it wrote to standard
/// output; only the beginning if that was too much.
struct program_result {
  program_end end;
  std::string output;

  bool operator==(const program_result&) const = default;
};

/// Receives a line of a program's standard error without its end, in valid
/// UTF-8. Long lines are cut, and if there are too many, only their number is
/// told. Called on the loop's thread; must not block.
using when_error_line = std::function<void(std::string_view)>;

} // namespace convene::host
