#include <convene/protocol/events/rules.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/runtime/data/scenario/seeded_ids.hpp>
#include <convene/runtime/session_ids.hpp>

namespace convene::host {

protocol::uuid_source session_ids(const runtime_options& how,
                                  const session::spec& what) {
  return seeded_ids(
    how.seed.value_or(0),
    {{"spec_sha256",
      protocol::start_digest(protocol::rules,
                             boost::json::value(protocol::rules_since),
                             session::encode(what))},
     {"validation", to_word(how.validation)}});
}

} // namespace convene::host
