#include <convene/protocol/security/capability.hpp>
#include <convene/session/spec/security.hpp>

using namespace convene::protocol;
using namespace convene::session;
extern const struct role role;
extern const struct spec spec;
extern const routing_policy policy;
