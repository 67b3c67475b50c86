#pragma once

// The definitions of `decode` and `encode` (document_codec.hpp), for the
// sources that instantiate them for the types they describe.

#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/codec/object_writer.hpp>
#include <convene/protocol/documents/document_codec.hpp>

namespace convene::protocol {

template <class T>
result<T> decode(const json::value& from, std::string_view pointer) {
  reading r;
  T to;
  if (!read(r, from, place{.name = pointer}, anything, to))
    return fail(*std::move(r.fault));
  return to;
}

template <class T>
json::value encode(const T& from) {
  return write(from);
}

} // namespace convene::protocol

/// Instantiates both for one type, at namespace scope of convene::protocol.
#define CONVENE_CODEC(type)                                                    \
  template result<type> decode(const json::value&, std::string_view);          \
  template json::value encode(const type&)
