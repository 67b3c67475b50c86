#include <boost/json/serialize.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/terminal.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/encode_error.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

namespace convene::cli {
namespace {

using namespace convene::protocol;

int output_error = 0;     // the first errno of standard output
bool rules_shown = false; // set before any thread is started

} // namespace

int exit_code(errc code) noexcept {
  switch (code) {
    case errc::io_failed:
    case errc::internal:
      return exit_fault;
    case errc::not_allowed:
      return exit_no;
    default:
      return exit_usage;
  }
}

json::object error_json(const error& what) {
  return {{"error", encode_error(what)}};
}

int exit_code_of(const error& what) noexcept {
  return exit_code(what.code);
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()
      && output_error == 0)
    output_error = errno;
}

void print_line(std::string_view text) {
  print(neutral(text) + '\n');
}

void flush_output() {
  if (std::fflush(stdout) != 0 && output_error == 0)
    output_error = errno;
}

bool output_written() {
  flush_output();
  return output_error == 0;
}

bool output_gone() {
  pollfd out{STDOUT_FILENO, 0, 0};
  if (output_error == 0 && ::poll(&out, 1, 0) == 1
      && (out.revents & POLLERR) != 0)
    output_error = EPIPE;
  return output_error != 0;
}

void print_json(const json::value& document) {
  print_json_text(pretty(document));
}

void print_json_text(std::string_view text) {
  print(neutral_json(text));
}

void print_lines(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    print_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void print_json_line(const json::value& document) {
  print_json_text(json::serialize(document) + '\n');
}

void print_note(std::string_view text) {
  wipe_progress();
  const auto line = "convene: " + neutral(text) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string line_of(const error& what) {
  auto text = to_string(what);
  if (rules_shown && !what.rule.empty())
    text += " [" + what.rule + ']';
  return text;
}

void show_rules() noexcept {
  rules_shown = true;
}

int report(const error& what, bool json) {
  if (json)
    print_json(error_json(what));
  else
    print_note(line_of(what));
  return exit_code(what.code);
}

int finish_output(int code) {
  flush_output();
  if (output_error == 0 || output_error == EPIPE)
    return code;
  print_note("standard output cannot be written");
  return exit_fault;
}

} // namespace convene::cli
