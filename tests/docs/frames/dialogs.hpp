#include <convene/protocol/dialog/dialog_change.hpp>
#include <convene/protocol/dialog/messages.hpp>

using namespace convene::protocol;
extern struct dialog dialog;
extern const std::string text;
extern const timestamp_ms now;
extern const object_lookup lookup;
