#include <convene/server/http/transport.hpp>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstddef>

namespace convene::server {
namespace {

template <auto Free>
struct freed_by {
  void operator()(auto* what) const {
    Free(what);
  }
};

} // namespace

std::shared_ptr<const std::vector<std::string>> transport::certificate_names() {
  const std::unique_ptr<X509, freed_by<&X509_free>> shown{
    SSL_get1_peer_certificate(tls_->native_handle())};
  if (!shown)
    return nullptr;
  const std::unique_ptr<GENERAL_NAMES, freed_by<&GENERAL_NAMES_free>> all{
    static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(shown.get(), NID_subject_alt_name, nullptr, nullptr))};
  auto made = std::make_shared<std::vector<std::string>>();
  for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const auto* const one = sk_GENERAL_NAME_value(all.get(), i);
    if (one->type != GEN_DNS)
      continue;
    const auto* const text = one->d.dNSName;
    std::string name{reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<std::size_t>(ASN1_STRING_length(text))};
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    made->push_back(std::move(name));
  }
  return made;
}

} // namespace convene::server
