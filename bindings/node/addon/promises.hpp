#pragma once

#include "lane.hpp"
#include "values.hpp"

#include <node_api.h>

#include <functional>

namespace convene::node {

/// A promise of what `work` returns on the lane: its texts, null if nothing
/// more comes, undefined if the time was over, or a rejection. Node ends
/// without waiting for it.
[[nodiscard]] napi_value promised(napi_env env, lane& on,
                                  std::function<outcome()> work);

} // namespace convene::node
