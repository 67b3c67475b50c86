// Writes the logs of random sessions of every mode to a file, or replays such
// a file: written by one build and read by another, it shows that both compute
// the same sessions, byte for byte.

#include <convene/modes/catalog.hpp>
#include <support/log_laws.hpp>
#include <support/random_session.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace convene;
using namespace convene::test;

namespace {

constexpr std::uint32_t seeds = 60;

int write_logs(const char* path) {
  std::ofstream out{path, std::ios::binary};
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed)
      for (const auto& line : run_random_session(*policy, seed).lines)
        out << line << '\n';
  out.close();
  return out ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Whether the session whose log ends before `line` replays.
bool check(const std::vector<std::string>& log, std::size_t line) {
  const auto found = replay(log, modes::find);
  if (found)
    std::cerr << "session that ends before line " << line << ", its line "
              << found->line << ": " << found->message << "\nexpected "
              << found->expected << "\nactual   " << found->actual << '\n';
  return !found;
}

int read_logs(const char* path) {
  std::ifstream in{path, std::ios::binary};
  std::vector<std::string> log;
  std::size_t sessions = 0;
  std::size_t number = 0;
  bool same = true;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const bool starts = line.find(R"("event_type":"MAPSessionStarted")")
                        != std::string::npos;
    if (starts && !log.empty()) {
      same &= check(log, number);
      log.clear();
    }
    sessions += starts ? 1 : 0;
    log.push_back(std::move(line));
  }
  same &= check(log, number + 1);
  const auto expected = seeds * modes::catalog().size();
  std::cout << sessions << " sessions, " << number << " events\n";
  return same && sessions == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc == 3 ? argv[1] : "";
  try {
    if (command == "write")
      return write_logs(argv[2]);
    if (command == "read")
      return read_logs(argv[2]);
  } catch (const std::exception& fault) {
    std::cerr << fault.what() << '\n';
    return EXIT_FAILURE;
  }
  std::cerr << "usage: replay_logs write|read FILE\n";
  return 2;
}
