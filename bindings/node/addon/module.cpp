// The addon: functions of the C API for lib/, with promises for those that
// block.
#include "environment.hpp"
#include "functions.hpp"
#include "values.hpp"

#include <new>
#include <utility>

namespace convene::node {
namespace {

using function = napi_value (*)(napi_env, const arguments&);

template <function Call>
napi_value entry(napi_env env, napi_callback_info info) {
  arguments given{};
  std::size_t count = given.size();
  napi_get_cb_info(env, info, &count, given.data(), nullptr, nullptr);
  try {
    return Call(env, given);
  } catch (const failure& why) {
    napi_throw(env, environment::of(env).error_of(env, why.json));
  } catch (const std::exception& why) { // no memory, no thread
    napi_throw_error(env, nullptr, why.what());
  }
  return nullptr;
}

napi_value set_up(napi_env env, napi_callback_info info) {
  napi_value make_error = nullptr;
  std::size_t count = 1;
  napi_get_cb_info(env, info, &count, &make_error, nullptr, nullptr);
  environment::set_up(env, make_error);
  return undefined(env);
}

void add(napi_env env, napi_value exports, const char* name,
         napi_callback call) {
  napi_value made = nullptr;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, call, nullptr, &made);
  napi_set_named_property(env, exports, name, made);
}

void add_functions(napi_env env, napi_value exports) {
  const std::pair<const char*, napi_callback> all[] = {
    {"setUp", set_up},
    {"open", entry<open>},
    {"close", entry<close>},
    {"stop", entry<stop>},
    {"closeAll", entry<close_all>},
    {"hold", entry<hold>},
    {"recovered", entry<recovered>},
    {"recoveredSession", entry<recovered_session>},
    {"start", entry<start>},
    {"status", entry<status>},
    {"look", entry<look>},
    {"wait", entry<wait>},
    {"cancel", entry<cancel>},
    {"suspend", entry<suspend>},
    {"resume", entry<resume>},
    {"message", entry<message>},
    {"answer", entry<answer>},
    {"write", entry<write>},
    {"claim", entry<claim>},
    {"stream", entry<stream>},
    {"isOver", entry<is_over>},
    {"freeRequest", entry<free_request>},
    {"act", entry<act>},
    {"nextStep", entry<next_step>},
    {"endAction", entry<end_action>},
    {"freeAction", entry<free_action>},
    {"subscribe", entry<subscribe>},
    {"nextEvents", entry<next_events>},
    {"unsubscribe", entry<unsubscribe>},
  };
  for (const auto& [name, call] : all)
    add(env, exports, name, call);
  napi_set_named_property(env, exports, "version",
                          to_value(env, std::string{convene_version()}));
  napi_set_named_property(env, exports, "abiVersion",
                          to_value(env, convene_abi_version()));
}

} // namespace
} // namespace convene::node

NAPI_MODULE_INIT() {
  convene::node::add_functions(env, exports);
  return exports;
}
