#include <convene/cli/view/reading_progress.hpp>

#include <utility>

namespace convene::cli {

reading_progress::reading_progress(bool wanted, std::string verb)
  : verb_{std::move(verb)}, line_{wanted}, watch_{[this](std::uint64_t bytes,
                                                         std::uint64_t all) {
      note(bytes, all);
    }} {
  // nop
}

void reading_progress::note(std::uint64_t bytes, std::uint64_t all) {
  if (bytes < read_) // it is read again
    line_.restart();
  read_ = bytes;
  line_.show({.done = bytes, .all = all, .unit = "bytes", .what = verb_});
}

} // namespace convene::cli
