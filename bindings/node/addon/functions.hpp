#pragma once

#include <node_api.h>

#include <array>

/// The functions that lib/ calls; the definitions name their arguments.
namespace convene::node {

using arguments = std::array<napi_value, 5>;

napi_value open(napi_env env, const arguments& given);
napi_value close(napi_env env, const arguments& given);
napi_value stop(napi_env env, const arguments& given);
napi_value close_all(napi_env env, const arguments& given);
napi_value hold(napi_env env, const arguments& given);
napi_value recovered(napi_env env, const arguments& given);
napi_value recovered_session(napi_env env, const arguments& given);

napi_value start(napi_env env, const arguments& given);
napi_value status(napi_env env, const arguments& given);
napi_value look(napi_env env, const arguments& given);
napi_value wait(napi_env env, const arguments& given);
napi_value cancel(napi_env env, const arguments& given);
napi_value suspend(napi_env env, const arguments& given);
napi_value resume(napi_env env, const arguments& given);
napi_value message(napi_env env, const arguments& given);

napi_value answer(napi_env env, const arguments& given);
napi_value write(napi_env env, const arguments& given);
napi_value claim(napi_env env, const arguments& given);
napi_value stream(napi_env env, const arguments& given);
napi_value is_over(napi_env env, const arguments& given);
napi_value free_request(napi_env env, const arguments& given);

napi_value act(napi_env env, const arguments& given);
napi_value next_step(napi_env env, const arguments& given);
napi_value end_action(napi_env env, const arguments& given);
napi_value free_action(napi_env env, const arguments& given);

napi_value subscribe(napi_env env, const arguments& given);
napi_value next_events(napi_env env, const arguments& given);
napi_value unsubscribe(napi_env env, const arguments& given);

} // namespace convene::node
