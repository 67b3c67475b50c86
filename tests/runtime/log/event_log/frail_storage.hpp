#pragma once

#include <convene/lab/frail_storage/frail_storage.hpp>

namespace convene::tests {

using host::frail_storage;

} // namespace convene::tests
