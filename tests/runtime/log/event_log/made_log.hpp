#pragma once

#include "segment_text.hpp"
#include "session_lines.hpp"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace convene::tests {

/// A log of sessions that begin, go on in inputs of one to three lines, and
/// end; an input's lines are neighbours in one group.
struct made_log {
  std::vector<std::string> segments; // their bytes
  std::vector<std::string> lines;    // all events
  std::map<std::uint64_t, std::vector<std::string>> sessions;
};

class log_maker {
public:
  explicit log_maker(std::uint32_t seed) : random_{seed} {
    // nop
  }

  made_log make(std::uint32_t segments) {
    std::optional<std::uint32_t> previous;
    for (std::uint32_t number = 1; number <= segments; ++number) {
      segment_text segment{number, previous};
      for (auto groups = 3 + random_() % 10; groups > 0; --groups)
        segment.group(group());
      previous = segment.crc();
      made_.segments.push_back(segment.bytes());
    }
    return std::move(made_);
  }

private:
  std::string group() {
    std::string lines;
    for (auto inputs = 1 + random_() % 4; inputs > 0; --inputs) {
      const auto number = random_() % 6 + ended_ * 6;
      auto& session = made_.sessions[number];
      const bool begins = session.empty();
      const auto count = 1 + random_() % 3;
      for (std::size_t i = 1; i <= count; ++i) {
        const bool ends = !begins && i == count && random_() % 8 == 0;
        auto what = std::to_string(made_.lines.size()) + " line "
                    + std::to_string(i) + " of " + std::to_string(count)
                    + std::string(random_() % 300, 'x');
        session.push_back(line_of_session(number, what,
                                          begins && i == 1 ? "MAPSessionStarted"
                                          : ends ? "MAPSessionCompleted"
                                                 : "MAPTurnCompleted"));
        made_.lines.push_back(session.back());
        lines += session.back() + '\n';
        ended_ += ends ? 1 : 0;
      }
    }
    return lines;
  }

  std::minstd_rand random_;
  made_log made_;
  std::uint64_t ended_ = 0; // a new set of sessions after each end
};

} // namespace convene::tests
