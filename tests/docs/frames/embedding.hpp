#include <convene/convene.hpp>
#include <convene/lab/conformance/state_store_conformance.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/runtime/data/state_store/memory_store.hpp>
#include <convene/server/server.hpp>
#include <convene/session/options/application_strategy.hpp>

#include <iostream>
#include <stdexcept>

extern convene::runtime rt;
convene::reply write_patch(const convene::turn_request&);
