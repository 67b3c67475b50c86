#include <boost/json/serialize.hpp>
#include <convene/bindings/c/handles.hpp>
#include <convene/bindings/c/outcome.hpp>

#include <cstdlib>

using namespace convene::c_api;
using convene::result;

const char* convene_version() {
  return CONVENE_VERSION;
}

int convene_abi_version() {
  return CONVENE_ABI_VERSION;
}

void convene_free(char* text) {
  std::free(text);
}

int convene_open(const char* options, convene_runtime** runtime, char** error) {
  return guarded(error, [&]() -> result<void> {
    if (runtime == nullptr)
      return null_argument("runtime");
    *runtime = nullptr;
    auto how = read_open_settings(options == nullptr ? "{}" : options);
    if (!how)
      return tl::unexpected(std::move(how).error());
    auto opened = hub::open(*how);
    if (!opened)
      return tl::unexpected(std::move(opened).error());
    *runtime = new convene_runtime{*std::move(opened)};
    return {};
  });
}

int convene_close(convene_runtime* runtime, char** error) {
  return guarded(error, [&]() -> result<void> {
    return runtime == nullptr ? null_argument("runtime")
                              : runtime->hub->close();
  });
}

void convene_runtime_free(convene_runtime* runtime) {
  if (runtime != nullptr)
    static_cast<void>(convene_close(runtime, nullptr));
  delete runtime;
}

int convene_recovered(convene_runtime* runtime, char** json, char** error) {
  return guarded(error, [&]() -> result<void> {
    if (runtime == nullptr || json == nullptr)
      return null_argument(runtime == nullptr ? "runtime" : "json");
    *json = text_for_caller(
      boost::json::serialize(runtime->hub->recovery_summary()));
    return {};
  });
}

int convene_recovered_session(convene_runtime* runtime, const char* session_id,
                              convene_session** session, char** error) {
  return guarded(error, [&]() -> result<void> {
    if (runtime == nullptr || session_id == nullptr || session == nullptr)
      return null_argument(runtime == nullptr      ? "runtime"
                           : session_id == nullptr ? "session_id"
                                                   : "session");
    *session = nullptr;
    auto found = runtime->hub->recovered(session_id);
    if (!found)
      return tl::unexpected(std::move(found).error());
    *session = new convene_session{runtime->hub, *std::move(found)};
    return {};
  });
}
