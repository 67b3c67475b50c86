#pragma once

#include <convene/protocol/base/error.hpp>
#include <nats/nats.h>

// For sources in this folder only.

namespace convene::host {

/// The functions of libnats that are called.
// clang-format off
#define CONVENE_NATS_FUNCTIONS(use)                                            \
  use(nats_GetLastError) use(natsStatus_GetText) use(natsOptions_Create)       \
  use(natsOptions_Destroy) use(natsOptions_SetURL) use(natsOptions_SetName)    \
  use(natsOptions_SetAllowReconnect) use(natsOptions_SetTimeout)               \
  use(natsOptions_SetPingInterval) use(natsOptions_SetMaxPingsOut)             \
  use(natsOptions_SetWriteDeadline) use(natsOptions_SetErrorHandler)           \
  use(natsOptions_SetIgnoreDiscoveredServers) use(natsOptions_SetSecure)       \
  use(natsOptions_LoadCATrustedCertificates)                                   \
  use(natsOptions_SetExpectedHostname) use(natsOptions_SetUserInfo)            \
  use(natsOptions_SetToken) use(natsOptions_SetUserCredentialsFromFiles)       \
  use(natsConnection_Connect) use(natsConnection_Destroy)                      \
  use(natsConnection_IsClosed) use(natsConnection_GetLastError)                \
  use(natsConnection_GetConnectedServerId) use(natsConnection_GetMaxPayload)   \
  use(natsConnection_JetStream) use(jsOptions_Init) use(jsCtx_Destroy)         \
  use(jsStreamConfig_Init) use(js_GetStreamInfo) use(js_AddStream)             \
  use(jsStreamInfo_Destroy) use(jsPubOptions_Init) use(js_PublishMsgAsync)     \
  use(natsMsg_Create) use(natsMsg_Destroy) use(natsMsg_GetSubject)             \
  use(natsMsgHeader_Set) use(natsMsgHeader_Get)
// clang-format on

/// What is called of libnats, which `load_nats` loads.
struct nats_library {
#define CONVENE_MEMBER(name) decltype(&::name) name = nullptr;
  CONVENE_NATS_FUNCTIONS(CONVENE_MEMBER)
#undef CONVENE_MEMBER
};

/// Loads it once. Error: `library_missing`, with the package to install.
[[nodiscard]] const protocol::result<nats_library>& load_nats();

/// What `load_nats` has loaded.
[[nodiscard]] inline const nats_library& nats() {
  return *load_nats();
}

} // namespace convene::host
