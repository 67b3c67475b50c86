#pragma once

#include <convene/runtime/frail_storage/frail_storage.hpp>

namespace convene::tests {

using host::frail_storage;

} // namespace convene::tests
