#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/documents/trace.hpp>

namespace convene::protocol {

/// As `encode` (document_codec.hpp), in this memory.
[[nodiscard]] boost::json::value
encode_trace(const trace& from, const boost::json::storage_ptr& memory);

} // namespace convene::protocol
