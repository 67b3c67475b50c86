#include <convene/protocol/lifecycle/document_change.hpp>
#include <convene/protocol/lifecycle/rounds.hpp>
#include <convene/protocol/lifecycle/status.hpp>
#include <convene/protocol/lifecycle/tables.hpp>
#include <convene/protocol/lifecycle/transition.hpp>

using namespace convene::protocol;
extern const std::string id;
extern const precondition_set facts;
extern const json::object before;
extern const json::object after;
extern const object_lookup lookup;
extern const struct confirm confirm;
extern const confirm_decision decision;
