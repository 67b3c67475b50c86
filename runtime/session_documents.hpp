#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/trace.hpp>
#include <convene/runtime/scenario/outputs.hpp>
#include <convene/runtime/setup.hpp>

namespace convene::host {

/// A session's result as the documents to write.
[[nodiscard]] CONVENE_API session_documents
make_documents(const session_result& from, const protocol::trace& trace);

} // namespace convene::host
