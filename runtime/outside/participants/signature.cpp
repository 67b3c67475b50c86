#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/outside/participants/signature.hpp>

#include <chrono>

namespace convene::host {

void add_signature(http_request& to, const std::string& secret) {
  using namespace std::chrono;
  const auto now = system_clock::now().time_since_epoch();
  const auto time = std::to_string(duration_cast<seconds>(now).count());
  const auto mac = hmac_sha256(secret, time + '.' + to.body);
  to.headers.push_back({"X-Convene-Timestamp", time});
  to.headers.push_back(
    {"X-Convene-Signature", "sha256=" + protocol::hex_of(mac)});
}

} // namespace convene::host
