#pragma once

/// All that an application needs to run sessions; no CAF header comes with it.

#include <convene/runtime/runtime.hpp>
