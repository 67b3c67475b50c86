// Indexes with good checksums that lie.

#include "files.hpp"
#include "segment_text.hpp"
#include "session_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/byte_codec.hpp>
#include <convene/runtime/log/event_log/session_index.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace convene::host;
using namespace convene::tests;

namespace {

/// An index of session 1 alone, whose list is said to be there.
std::string index_of(const segment_text& segment, std::uint32_t sessions,
                     std::uint64_t at, std::uint32_t bytes,
                     const std::string& list = {}) {
  std::string directory;
  put_fixed(directory, session_number(1).high);
  put_fixed(directory, session_number(1).low);
  put_fixed(directory, at);
  put_fixed(directory, bytes);
  put_fixed(directory, crc32c(list));
  directory += std::string(16, '\0'); // where the last range ends
  std::string index{index_magic};
  put_fixed(index, std::uint64_t{segment.bytes().size()});
  put_fixed(index, std::uint64_t{5});
  put_fixed(index, segment.crc());
  put_fixed(index, sessions);
  put_fixed(index, crc32c(directory));
  put_fixed(index, crc32c(index));
  return index + directory + list;
}

/// Whether looking session 1 up needs no memory to speak of, and finds nothing:
/// asked in a process that has not used any before.
bool is_cheaply_refused(const std::filesystem::path& segment) {
  const auto peak = [] {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss; // KiB
  };
  const auto child = ::fork();
  if (child == 0) {
    const auto before = peak();
    const bool found = look_up(segment, session_number(1)).has_value();
    ::_exit(!found && peak() - before < 32 << 10 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status == 0;
}

} // namespace

TEST_CASE("an index that says to have more than its file is not believed") {
  constexpr std::uint32_t much = std::uint32_t{200} << 20;
  constexpr std::uint64_t list_at = 40 + 48;
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  const auto segment = segment_text{}.group(line_of_session(1, "x") + '\n');
  write_bytes(path, segment.bytes());
  const auto put = [&](const std::string& index) {
    write_bytes(folder / "events.index", index);
  };
  put(index_of(segment, 1, list_at, 0));
  REQUIRE(look_up(path, session_number(1)));
  SECTION("in a list") {
    put(index_of(segment, 1, list_at, much, "list"));
  }
  SECTION("in a list far behind its end") {
    put(index_of(segment, 1, ~std::uint64_t{0} - much + 1, much, "list"));
  }
  SECTION("in its directory") {
    put(index_of(segment, much / 48, list_at, 0));
  }
  SECTION("in a list that is larger than an index may be") {
    put(index_of(segment, 1, list_at, (std::uint32_t{256} << 20) + 1));
    std::filesystem::resize_file(folder / "events.index",
                                 std::uintmax_t{300} << 20);
  }
  CHECK(is_cheaply_refused(path));
}
