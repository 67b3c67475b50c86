#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace convene::test {

namespace json = boost::json;

/// A turn with all its members.
inline json::object full_turn(std::int64_t index = 1) {
  auto made = json::parse(R"({
    "messageId": "m1", "from": "ann", "content": {"text": "yes"},
    "ts": 1700000000000, "role": "agent", "turnIndex": 1, "to": "bob",
    "groupId": "g", "agent": {"agentId": "ann",
      "agentSharing": "shared:%shared%", "memoryRef": "r", "more": 1},
    "speakerId": "ann", "mood": [null, 2.5]})")
                .as_object();
  made["turnIndex"] = index;
  return made;
}

} // namespace convene::test
