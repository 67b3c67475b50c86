#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/invariants/rule_set.hpp>

#include <cstdio>

using namespace convene::protocol;
extern const json::value context;
extern const json::value plan;
