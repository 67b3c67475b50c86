#pragma once

#include <cstdint>

namespace convene::protocol {

/// What the value of an event's member must be.
enum class member_kind : std::uint8_t {
  any,
  text,
  name, // text, not empty
  id,   // a v4 UUID
  key,  // 32 hexadecimal digits
  time,
  count,  // an integer from 0
  amount, // a number from 0
  object,
  list,  // of objects
  names, // a list of text
  mode,
  ending,
  stage,
};

} // namespace convene::protocol
