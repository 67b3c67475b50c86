#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace convene::protocol {

/// Something that was taken for something else.
struct reading_note {
  std::string pointer; ///< JSON pointer into the document as it was
  std::string rule;    ///< `id`, `member`, `word`, `added`, `moved`, `kept`
  std::string message; ///< what was taken as what

  bool operator==(const reading_note&) const = default;
};

/// Notes that are kept of one document; more are only counted.
inline constexpr std::size_t reading_notes_max = 1'000;

struct reading_notes {
  std::vector<reading_note> first;
  std::size_t total = 0;

  void add(reading_note one) {
    if (++total <= reading_notes_max)
      first.push_back(std::move(one));
  }
};

} // namespace convene::protocol
