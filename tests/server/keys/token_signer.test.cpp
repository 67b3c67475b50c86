#include <catch2/catch.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <runtime/log/event_log/files.hpp>
#include <sys/stat.h>

using namespace convene::server;
using namespace convene::tests;

namespace {

token_signer signer_of(const std::filesystem::path& file) {
  auto made = token_signer::open(file);
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  return *std::move(made);
}

} // namespace

TEST_CASE("a token is read by its signer, also after a restart, and by no "
          "other") {
  const scratch_folder folder;
  const auto signer = signer_of(folder / "secret");
  for (const std::string text :
       {"", "a", "ab", "abc", "{\"x\": \"\xff\xfe\"}"}) {
    const auto token = signer.sign(text);
    CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                                  "stuvwxyz0123456789-_.")
          == token.npos);
    CHECK(signer.read(token) == text);
    CHECK(signer_of(folder / "secret").read(token) == text);
    CHECK_FALSE(signer_of(folder / "other").read(token));
  }
}

TEST_CASE("a token that was changed anywhere is none") {
  const scratch_folder folder;
  const auto signer = signer_of(folder / "secret");
  const auto token = signer.sign("{\"node\": 12}");
  for (std::size_t at = 0; at < token.size(); ++at) {
    INFO(at);
    auto other = token;
    other[at] = other[at] == 'A' ? 'B' : 'A';
    CHECK_FALSE(signer.read(other));
    CHECK_FALSE(signer.read(token.substr(0, at)));
    CHECK_FALSE(signer.read(token.substr(at + 1)));
  }
  for (const auto& other :
       {token + "=", token + ".", "." + token, std::string(10'000, 'A') + ".A",
        token + std::string(1, '\0')})
    CHECK_FALSE(signer.read(other));
}

TEST_CASE("the secret is its owner's alone, and no other text is one") {
  const scratch_folder folder;
  static_cast<void>(signer_of(folder / "secret"));
  struct stat status {};
  REQUIRE(::stat((folder / "secret").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600);
  for (const std::string text : {"", "abc", "\n"}) {
    write_bytes(folder / "bad", text);
    REQUIRE(::chmod((folder / "bad").c_str(), 0600) == 0);
    const auto made = token_signer::open(folder / "bad");
    REQUIRE_FALSE(made);
    CHECK(made.error().rule == "token_secret");
    CHECK(made.error().file == (folder / "bad").string());
  }
}

TEST_CASE("a secret that others can use is refused, with what to do") {
  const scratch_folder folder;
  const auto file = folder / "secret";
  static_cast<void>(signer_of(file));
  for (const auto mode : {0666U, 0640U, 0604U}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    const auto made = token_signer::open(file);
    REQUIRE_FALSE(made);
    CHECK(made.error().rule == "file_mode");
    CHECK_THAT(to_string(made.error()),
               Catch::Contains("chmod 600 " + file.string()));
  }
  REQUIRE(::chmod(file.c_str(), 0400) == 0);
  CHECK(token_signer::open(file));
}
