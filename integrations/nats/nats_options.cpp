#include <convene/integrations/nats/nats_credentials.hpp>
#include <convene/integrations/nats/nats_library.hpp>
#include <convene/integrations/nats/nats_options.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/keys/secret_file.hpp>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::size_t credentials_bytes_max = 16U << 10;

error wrong_credentials(const std::filesystem::path& file) {
  return file_error(errc::usage, file,
                    "holds no credentials: expected a file of NATS (.creds), "
                    "or one line with USER:PASSWORD or a token",
                    "events_credentials");
}

} // namespace

result<nats_credentials>
read_nats_credentials(const std::filesystem::path& file) {
  nats_credentials made;
  if (file.empty())
    return made;
  if (auto may = server::check_private(file); !may)
    return fail(std::move(may).error());
  auto text = read_file(file, credentials_bytes_max);
  if (!text)
    return fail(std::move(text).error());
  made.is_file = text->find("BEGIN NATS USER JWT") != text->npos;
  if (made.is_file)
    return made;
  text->resize(text->find_last_not_of("\r\n") + 1);
  if (text->empty()
      || text->find_first_of(std::string_view{"\r\n\0", 3}) != text->npos)
    return fail(wrong_credentials(file));
  const auto colon = text->find(':');
  if (colon == text->npos) {
    made.token = *std::move(text);
  } else if (colon == 0) {
    return fail(wrong_credentials(file));
  } else {
    made.user = text->substr(0, colon);
    made.password = text->substr(colon + 1);
  }
  return made;
}

result<void> check_nats(const nats_options& how) {
  if (const auto& loaded = load_nats(); !loaded)
    return fail(loaded.error());
  if (how.address.is_secure && how.ca.empty())
    return fail(errc::usage,
                "--events-to tls://...: name the CA of the server's "
                "certificate with --events-ca",
                "events_ca");
  if (!how.address.is_secure && !how.ca.empty())
    return fail(errc::usage,
                "--events-ca is of no use without TLS: --events-to tls://...",
                "events_ca");
  if (!how.ca.empty()) {
    const auto text = read_file(how.ca);
    if (!text)
      return fail(text.error());
    if (text->find("BEGIN CERTIFICATE") == text->npos)
      return fail(file_error(errc::usage, how.ca, "holds no certificate in PEM",
                             "events_ca"));
  }
  return read_nats_credentials(how.credentials).map([](const auto&) {});
}

} // namespace convene::host
