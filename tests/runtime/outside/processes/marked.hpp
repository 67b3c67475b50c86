#pragma once

#include <convene/runtime/outside/processes/processes.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace convene::test {

/// Marks programs by a variable in their environment, which all of their
/// descendants inherit, and so finds those that are left.
class marked {
public:
  marked();

  /// A program of /bin/sh, with a grace time that is short.
  [[nodiscard]] host::program shell(const std::string& script) const;
  /// The same in Python.
  [[nodiscard]] host::program python(const std::string& script) const;
  [[nodiscard]] host::program run(std::string path,
                                  std::vector<std::string> arguments) const;

  /// How many processes with the mark are there.
  [[nodiscard]] std::size_t living() const;
  /// Waits until there are none; as long as a test may take.
  void wait_until_gone() const;

  [[nodiscard]] const std::string& variable() const {
    return variable_;
  }

private:
  std::string variable_; ///< NAME=value
};

/// Runs it to its end.
[[nodiscard]] host::program_result run(host::processes& on, host::program what,
                                       std::string input = {});

} // namespace convene::test
