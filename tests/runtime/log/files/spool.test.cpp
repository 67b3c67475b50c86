#include <catch2/catch.hpp>
#include <convene/runtime/log/files/spool.hpp>
#include <runtime/log/event_log/files.hpp>
#include <support/dice.hpp>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

using convene::host::spool;
using convene::host::write_new_file;
using convene::tests::scratch_folder;
namespace fs = std::filesystem;

namespace {

/// TMPDIR, until the end of the test.
class temporary_files_in {
public:
  explicit temporary_files_in(const fs::path& folder) {
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  temporary_files_in(const temporary_files_in&) = delete;
  temporary_files_in& operator=(const temporary_files_in&) = delete;
  ~temporary_files_in() {
    if (before_.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", before_.c_str(), 1);
  }

private:
  const std::string before_
    = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
};

std::string text_of(const spool& from, std::uint64_t start = 0,
                    std::uint64_t bytes = UINT64_MAX) {
  std::string all;
  const auto read = from.read([&all](std::string_view piece) { all += piece; },
                              start, bytes);
  REQUIRE(read);
  return all;
}

} // namespace

TEST_CASE("a spool gives back what was written, and each part of it") {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    convene::test::dice d{seed};
    spool kept{d.below(2'000)};
    std::string all;
    for (auto writes = d.below(20); writes != 0; --writes) {
      const std::string piece(d.below(d.chance(10) ? 200'000 : 300),
                              static_cast<char>('a' + d.below(26)));
      REQUIRE(kept.write(piece));
      all += piece;
    }
    CHECK(kept.bytes() == all.size());
    CHECK((text_of(kept) == all));
    const auto from = d.below(all.size() + 2);
    const auto bytes = d.below(all.size() + 2);
    CHECK((text_of(kept, from, bytes)
           == all.substr(std::min<std::size_t>(from, all.size()), bytes)));
  }
}

TEST_CASE("no piece of a spool ends inside a character") {
  std::string all;
  while (all.size() < 300'000)
    all += "a\u00e9\u20ac\U0001f600";
  for (std::size_t bound = 0; bound < 12; ++bound) {
    spool kept{bound};
    REQUIRE(kept.write(all.substr(0, 5))); // in the middle of one
    REQUIRE(kept.write(all.substr(5)));
    std::string read;
    std::size_t pieces = 0;
    REQUIRE(kept.read([&](std::string_view piece) {
      read += piece;
      ++pieces;
      CHECK(
        (read.size() == all.size()
         || (static_cast<unsigned char>(all[read.size()]) & 0xc0U) != 0x80U));
    }));
    CHECK((read == all));
    CHECK(pieces > 1);
  }
}

TEST_CASE(
  "a long text is in a file without a name, which only its owner reads") {
  const scratch_folder folder;
  const temporary_files_in here{folder.path()};
  spool kept{100};
  REQUIRE(kept.write(std::string(100, 'x')));
  const auto open_files = [&folder] {
    std::vector<fs::path> found;
    for (const auto& each : fs::directory_iterator{"/proc/self/fd"}) {
      std::error_code gone;
      if (fs::read_symlink(each, gone)
            .string()
            .starts_with(folder.path().string()))
        found.push_back(each.path());
    }
    return found;
  };
  CHECK(open_files().empty());
  REQUIRE(kept.write("y"));
  CHECK(fs::is_empty(folder.path()));
  const auto files = open_files();
  REQUIRE(files.size() == 1);
  struct stat about {};
  REQUIRE(::stat(files.front().c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0600);
  CHECK(about.st_nlink == 0);
  CHECK(text_of(kept) == std::string(100, 'x') + 'y');
}

TEST_CASE("a spool names the folder in which it cannot write") {
  const scratch_folder folder;
  const temporary_files_in nowhere{folder.path() / "missing"};
  spool kept{10};
  CHECK(kept.write("0123456789"));
  const auto refused = kept.write("x");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == convene::protocol::errc::io_failed);
  CHECK(refused.error().file == (folder.path() / "missing").string());
  CHECK_THAT(refused.error().message, Catch::Contains("TMPDIR"));
}

TEST_CASE("a spool that outgrows its disk fails") {
  const scratch_folder folder;
  const temporary_files_in here{folder.path()};
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4'096, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  spool kept{10};
  const auto refused = kept.write(std::string(5'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == convene::protocol::errc::io_failed);
}

TEST_CASE("a file whose text cannot be read to its end is not there") {
  const scratch_folder folder;
  const auto file = folder.path() / "made";
  REQUIRE(write_new_file(file, [](const spool::piece_taker& take) {
    take("one");
    take(" two");
    return convene::protocol::result<void>{};
  }));
  CHECK(convene::tests::read_bytes(file) == "one two");
  fs::remove(file);
  const auto refused = write_new_file(
    file,
    [](const spool::piece_taker& take) -> convene::protocol::result<void> {
      take("one");
      return convene::protocol::fail(convene::protocol::errc::io_failed,
                                     "gone");
    });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "gone");
  CHECK(fs::is_empty(folder.path()));
}
