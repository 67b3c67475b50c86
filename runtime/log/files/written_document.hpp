#pragma once

#include <cstddef>

namespace convene::host {

/// For readers of documents that convene writes itself. The largest are the
/// dialog and the workspace of a session: up to 256 MiB of text, of which JSON
/// may need six bytes for one, and what is around it.
inline constexpr std::size_t written_document_bytes_max = std::size_t{2} << 30;

} // namespace convene::host
