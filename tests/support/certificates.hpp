#pragma once

#include <catch2/catch.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace convene::tests {

/// Signs certificates of nodes, which it writes into a folder.
class test_authority {
public:
  explicit test_authority(std::filesystem::path folder,
                          const std::string& name = "ca")
    : folder_{std::move(folder)}, name_{name} {
    own_.reset(made(name, key_.get()));
    extend(own_.get(), NID_basic_constraints, "critical,CA:TRUE");
    sign(own_.get());
    write(name + ".pem", own_.get(), nullptr);
  }

  struct wish {
    std::string dns = "a";
    long from_s = -3'600; ///< its time, from now on
    long until_s = 3'600;
    std::string usage = {}; ///< "serverAuth"; empty: any
  };

  /// "NAME.pem,NAME.key,CA.pem", as `--peer-tls` has it.
  std::string issue(const std::string& name, const wish& how) const {
    const std::unique_ptr<EVP_PKEY, frees> key{EVP_EC_gen("P-256")};
    const std::unique_ptr<X509, frees> one{made(name, key.get())};
    X509_gmtime_adj(X509_getm_notBefore(one.get()), how.from_s);
    X509_gmtime_adj(X509_getm_notAfter(one.get()), how.until_s);
    extend(one.get(), NID_subject_alt_name, "DNS:" + how.dns);
    if (!how.usage.empty())
      extend(one.get(), NID_ext_key_usage, how.usage);
    sign(one.get());
    write(name + ".pem", one.get(), nullptr);
    write(name + ".key", nullptr, key.get());
    std::filesystem::permissions(folder_ / (name + ".key"),
                                 std::filesystem::perms::owner_read);
    return path(name + ".pem") + ',' + path(name + ".key") + ','
           + path(name_ + ".pem");
  }
  [[nodiscard]] std::string issue(const std::string& name) const {
    return issue(name, {.dns = name});
  }

  [[nodiscard]] std::string path(const std::string& file) const {
    return (folder_ / file).string();
  }

private:
  struct frees {
    void operator()(EVP_PKEY* what) const {
      EVP_PKEY_free(what);
    }
    void operator()(X509* what) const {
      X509_free(what);
    }
  };

  static X509* made(const std::string& name, EVP_PKEY* key) {
    static long serial = 1;
    auto* const one = X509_new();
    X509_set_version(one, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(one), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(one), -3'600);
    X509_gmtime_adj(X509_getm_notAfter(one), 3'600);
    const std::string shown = "test " + name;
    X509_NAME_add_entry_by_NID(
      X509_get_subject_name(one), NID_commonName, MBSTRING_UTF8,
      reinterpret_cast<const unsigned char*>(shown.data()),
      static_cast<int>(shown.size()), -1, 0);
    X509_set_pubkey(one, key);
    return one;
  }

  static void extend(X509* to, int what, const std::string& value) {
    auto* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what,
                                                value.c_str());
    REQUIRE(extension != nullptr);
    X509_add_ext(to, extension, -1);
    X509_EXTENSION_free(extension);
  }

  void sign(X509* what) const {
    X509_set_issuer_name(what, X509_get_subject_name(own_.get()));
    REQUIRE(X509_sign(what, key_.get(), EVP_sha256()) != 0);
  }

  void write(const std::string& file, X509* one, EVP_PKEY* key) const {
    const std::unique_ptr<FILE, int (*)(FILE*)> to{
      std::fopen(path(file).c_str(), "w"), &std::fclose};
    REQUIRE(to);
    if (one != nullptr)
      PEM_write_X509(to.get(), one);
    if (key != nullptr)
      PEM_write_PrivateKey(to.get(), key, nullptr, nullptr, 0, nullptr,
                           nullptr);
  }

  const std::filesystem::path folder_;
  const std::string name_;
  const std::unique_ptr<EVP_PKEY, frees> key_{EVP_EC_gen("P-256")};
  std::unique_ptr<X509, frees> own_;
};

} // namespace convene::tests
