#include <catch2/catch.hpp>
#include <convene/integrations/webhooks/webhook_secrets.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace convene;
using server::webhook_secrets;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, which goes with it.
class own_folder {
public:
  own_folder() {
    std::string name = (fs::temp_directory_path() / "convene-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~own_folder() {
    fs::remove_all(path_);
  }
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;

  [[nodiscard]] const fs::path& path() const {
    return path_;
  }

private:
  fs::path path_;
};

constexpr auto owner_only = fs::perms::owner_read | fs::perms::owner_write;
const std::string secret = "0123456789abcdef";

void put(const fs::path& file, const std::string& text,
         fs::perms as = owner_only) {
  std::ofstream{file} << text;
  fs::permissions(file, as);
}

std::string rule_of(const fs::path& folder) {
  const auto made = webhook_secrets::open(folder);
  return made ? "" : made.error().rule;
}

/// Of a body that is "body".
std::string signature_by(std::string_view key) {
  return "sha256=" + protocol::hex_of(host::hmac_sha256(key, "body"));
}

} // namespace

TEST_CASE("A source has signed what its secret says, and nothing else") {
  const own_folder folder;
  put(folder.path() / "github", secret + "\n");
  const auto uut = webhook_secrets::open(folder.path());
  REQUIRE(uut);
  const auto signature = signature_by(secret);
  CHECK(uut->is_signed("github", "body", signature));
  CHECK_FALSE(uut->is_signed("github", "body2", signature));
  CHECK_FALSE(uut->is_signed("other", "body", signature));
  CHECK_FALSE(uut->is_signed("github", "body", signature.substr(7)));
  CHECK_FALSE(uut->is_signed("github", "body", ""));
  CHECK_FALSE(uut->is_signed("..", "body", signature_by("nobody's")));
}

TEST_CASE("What is no secret of a source is refused by its file") {
  const own_folder folder;
  SECTION("a name that is none") {
    put(folder.path() / ".hidden", secret);
    CHECK(rule_of(folder.path()) == "source");
  }
  SECTION("others can read it") {
    put(folder.path() / "github", secret, owner_only | fs::perms::group_read);
    CHECK(rule_of(folder.path()) == "file_mode");
  }
  SECTION("a link") {
    const own_folder elsewhere;
    put(elsewhere.path() / "secret", secret);
    fs::create_symlink(elsewhere.path() / "secret", folder.path() / "github");
    CHECK(rule_of(folder.path()) == "webhook_secret");
  }
  SECTION("too short") {
    put(folder.path() / "github", "short");
    CHECK(rule_of(folder.path()) == "webhook_secret");
  }
  SECTION("no folder") {
    CHECK_FALSE(webhook_secrets::open(folder.path() / "none"));
  }
}
