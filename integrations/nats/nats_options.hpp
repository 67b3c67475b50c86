#pragma once

#include <convene/integrations/event_stream/stream_address.hpp>
#include <convene/protocol/base/error.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace convene::host {

struct nats_options {
  stream_address address;
  std::string name; ///< of this client, which the server shows
  /// The CA of a `tls://` server, in PEM; the certificate must have its name.
  std::filesystem::path ca;
  /// A file for its owner alone: NATS' own form (.creds), or a line with
  /// USER:PASSWORD or a token. Read for each connection. Empty: none.
  std::filesystem::path credentials;
  /// For how long the stream must recognize repeats.
  std::chrono::milliseconds settle_time{150'000};
  std::chrono::milliseconds connect_timeout{2'000};
  std::chrono::milliseconds request_timeout{3'000};
  std::function<void()> wake; ///< called on a thread of libnats' for answers
};

/// Whether the files can be read and libnats can be loaded.
[[nodiscard]] protocol::result<void> check_nats(const nats_options& how);

} // namespace convene::host
