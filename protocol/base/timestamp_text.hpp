#pragma once

#include <convene/protocol/base/timestamp.hpp>

namespace convene::protocol {

/// The text form of a time, written to 24 bytes at `at`; returns their end. For
/// those who write many: it goes to where it is needed without a copy.
char* write_timestamp(char* at, timestamp_ms time) noexcept;

} // namespace convene::protocol
