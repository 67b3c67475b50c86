#include <catch2/catch.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/base/sha256_hasher.hpp>
#include <rapidcheck.h>

#include <string>

using namespace convene::protocol;

TEST_CASE("a hash is that of the standard's examples") {
  CHECK(hex_of(sha256(""))
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex_of(sha256("abc"))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(
    hex_of(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))
    == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex_of(sha256(std::string(1'000'000, 'a')))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a hash does not depend on the pieces that the bytes come in") {
  CHECK(rc::check([](const std::string& some) {
    // Over the borders of blocks, where padding is decided.
    const auto length = *rc::gen::inRange<std::size_t>(0, 200);
    const auto bytes = some + std::string(length, 'x');
    sha256_hasher hasher;
    for (std::string_view rest = bytes; !rest.empty();) {
      const auto taken = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
      hasher.add(rest.substr(0, taken));
      hasher.add("");
      rest.remove_prefix(taken);
    }
    RC_ASSERT(hasher.finish() == sha256(bytes));
  }));
}
