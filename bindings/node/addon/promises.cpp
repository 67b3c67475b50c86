#include "promises.hpp"

#include "environment.hpp"

#include <convene.h>

#include <utility>

namespace convene::node {
namespace {

void settle(napi_env env, napi_deferred promise, const outcome& result) {
  if (result.code > CONVENE_OVER) {
    napi_reject_deferred(env, promise,
                         environment::of(env).error_of(env, result.error));
    return;
  }
  napi_value value = undefined(env);
  if (result.code == CONVENE_OK)
    value = to_value(env, result.texts);
  else if (result.code == CONVENE_ENDED)
    napi_get_null(env, &value);
  napi_resolve_deferred(env, promise, value);
}

} // namespace

napi_value promised(napi_env env, lane& on, std::function<outcome()> work) {
  napi_deferred promise = nullptr;
  napi_value value = nullptr;
  napi_create_promise(env, &promise, &value);
  auto& here = environment::of(env);
  const bool is_taken = on.add([&here, promise, work = std::move(work)] {
    here.deliver([promise, result = work()](napi_env then) {
      settle(then, promise, result);
    });
  });
  if (!is_taken)
    settle(env, promise, {CONVENE_ENDED, {}, {}});
  return value;
}

} // namespace convene::node
