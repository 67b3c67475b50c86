#include <catch2/catch.hpp>
#include <convene/protocol/base/sha256.hpp>

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

TEST_CASE("a hash is right at every length around the end of a block") {
  // Of the hashes of all texts of 0 to 130 letters.
  std::string all;
  for (std::size_t length = 0; length <= 130; ++length)
    all += hex_of(sha256(std::string(length, 'a')));
  CHECK(hex_of(sha256(all))
        == "5eee4c50e1b5ec4f1a47f34c25ca988850b49da7904f5ab1b3abc5cc0ae66ef9");
}
