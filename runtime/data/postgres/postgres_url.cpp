#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/data/postgres/postgres_library.hpp>
#include <convene/runtime/data/postgres/postgres_url.hpp>

#include <algorithm>
#include <memory>

namespace convene::host {

using namespace protocol;

namespace {

/// libpq's reason up to the part of the URL that it quotes, which may be the
/// password.
std::string reason_of(const char* message) {
  const std::string_view all = message == nullptr ? "" : message;
  return std::string{all.substr(0, all.find_first_of(":\"\n"))};
}

/// Whether an @ or a / of a name or a password splits the URL elsewhere than
/// its author meant, so that a part of the password would be shown as a host.
bool is_split_wrongly(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  const auto at = url.find('@');
  const auto slash = url.find('/');
  const auto options = url.find('?');
  if (at == url.npos || (slash < options && options < at))
    return false;
  const auto rest = url.substr(at + 1);
  return slash < at || rest.substr(0, rest.find('?')).find('@') != rest.npos;
}

bool is_port(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return is_digit(c) || c == ','; });
}

error bad_url(const std::string& why) {
  return {.code = errc::usage,
          .message
          = "not a valid PostgreSQL URL (" + why
            + "); write postgres://USER@HOST:PORT/DATABASE, with characters "
              "such as @, / and % in names as %40, %2F and %25",
          .rule = "postgres_url"};
}

} // namespace

result<std::string> shown_postgres_url(const std::string& url) {
  if (const auto& loaded = load_postgres(); !loaded)
    return fail(loaded.error());
  if (!is_postgres_url(url))
    return fail(bad_url("it does not begin with postgres://"));
  if (url.find('\0') != url.npos)
    return fail(bad_url("it has a zero byte"));
  if (is_split_wrongly(url))
    return fail(bad_url("it has an @ or a / in a name or a password"));
  char* why = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&::PQconninfoFree)> parsed{
    postgres().conninfo_parse(url.c_str(), &why), postgres().conninfo_free};
  const std::unique_ptr<char, decltype(&::PQfreemem)> kept{why,
                                                           postgres().freemem};
  if (!parsed)
    return fail(bad_url(reason_of(why)));
  std::string host;
  std::string port;
  std::string name;
  for (const auto* each = parsed.get(); each->keyword != nullptr; ++each) {
    if (each->val == nullptr)
      continue;
    const std::string_view keyword = each->keyword;
    if (keyword == "host")
      host = each->val;
    else if (keyword == "port")
      port = each->val;
    else if (keyword == "dbname")
      name = each->val;
  }
  if (!is_port(port))
    return fail(bad_url("the port is not a number"));
  return "postgres://" + host + (port.empty() ? "" : ":" + port) + "/" + name;
}

} // namespace convene::host
