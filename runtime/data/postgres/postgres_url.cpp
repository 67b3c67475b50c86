#include <convene/runtime/data/postgres/postgres_library.hpp>
#include <convene/runtime/data/postgres/postgres_url.hpp>

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
  return "postgres://" + host + (port.empty() ? "" : ":" + port) + "/" + name;
}

} // namespace convene::host
