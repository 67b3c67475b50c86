#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>

#include <string>
#include <string_view>

namespace convene::cli {

/// Exit codes of every command.
inline constexpr int exit_good = 0;
inline constexpr int exit_no = 1;       ///< it ran, and the answer is no
inline constexpr int exit_usage = 2;    ///< or input that cannot be used
inline constexpr int exit_fault = 3;    ///< disk, network, internal
inline constexpr int exit_signal = 128; ///< and the number of the signal

/// Writes to standard output. What cannot be written shows at the end, in
/// `finish_output`.
void print(std::string_view text);

/// Writes the text, made neutral, as a line.
void print_line(std::string_view text);
void flush_output();

/// Flushes; whether all that was written so far has reached standard output.
[[nodiscard]] bool output_written();

/// Whether there is no more sense in writing to standard output, because it
/// failed or its reader has gone away.
[[nodiscard]] bool output_gone();
void print_json(const protocol::json::value& document);

/// Writes JSON text, made neutral: as `neutral_json` does.
void print_json_text(std::string_view text);

/// Writes lines of text, each made neutral.
void print_lines(std::string_view text);

/// On one line: from a program that goes on, a reader takes a line.
void print_json_line(const protocol::json::value& document);

/// Writes a line to standard error, made neutral, with the program's name.
void print_note(std::string_view text);

/// The error as one line for people: with its rule after `show_rules()`, which
/// is for --verbose. Before, no line on standard error has one.
[[nodiscard]] std::string line_of(const protocol::error& what);
void show_rules() noexcept;

/// What an error has for an exit code, and in `--json`: {"error": {...}}.
[[nodiscard]] int exit_code(protocol::errc code) noexcept;
[[nodiscard]] protocol::json::object error_json(const protocol::error& what);

/// Reports the error as the options ask: a line on standard error, or the one
/// JSON document of `--json`. Returns the exit code for it.
[[nodiscard]] int report(const protocol::error& what, bool json);

/// The exit code for an error.
[[nodiscard]] int exit_code_of(const protocol::error& what) noexcept;

/// Flushes standard output; turns an exit code into a fault if writing
/// failed. A reader that has gone away is no fault.
[[nodiscard]] int finish_output(int code);

} // namespace convene::cli
