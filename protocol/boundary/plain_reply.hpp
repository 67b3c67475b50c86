#pragma once

#include <convene/protocol/boundary/slot_rule.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <vector>

namespace convene::protocol::boundary {

/// Most replies say something, may write resources, may give turns to whom they
/// name and may vote to end, and do nothing else. What the schema asks of their
/// members is worked out once, as schema_gate does for events. Immutable.
class plain_reply {
public:
  /// `schema` is that of a reply, and is to outlive this.
  explicit plain_reply(const compiled_schema& schema);

  /// Whether the reply is a plain one, and valid beyond doubt. False settles
  /// nothing.
  [[nodiscard]] bool passes(const reply& what) const;

private:
  /// By slot. Empty: the schema asks for more than can be told of members one
  /// by one.
  std::vector<slot_rule> rules_;
};

} // namespace convene::protocol::boundary
