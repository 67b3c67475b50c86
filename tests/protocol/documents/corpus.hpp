#pragma once

#include <catch2/catch.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <fstream>
#include <iterator>
#include <string>

/// The bytes of a file of tests/corpus.
inline std::string read_corpus(const std::string& name) {
  std::ifstream file{CONVENE_SOURCE_DIR "/tests/corpus/" + name,
                     std::ios::binary};
  REQUIRE(file);
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// A valid document of the corpus, with every member that its kind has.
inline convene::protocol::json::value read_valid(const std::string& kind) {
  return convene::protocol::parse_json(read_corpus("valid/" + kind + ".json"))
    .value();
}
