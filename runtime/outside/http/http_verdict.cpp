// What came of a call, in words.
#include <convene/runtime/outside/http/http_call.hpp>

#include <algorithm>
#include <array>
#include <cerrno>

namespace convene::host {
namespace {

bool is_transient_status(int status) {
  constexpr std::array transient{429, 500, 502, 503, 504, 529};
  return std::ranges::find(transient, status) != transient.end();
}

} // namespace

int http_call::status() const {
  long code = 0;
  curl().easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &code);
  return static_cast<int>(code);
}

bool http_call::is_refused() const {
  long number = 0;
  curl().easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &number);
  return number == ECONNREFUSED;
}

void http_call::set_error(std::string_view code, std::string message,
                          bool transient) {
  answer_.error.code = code;
  answer_.error.message = origin_.host.empty()
                            ? std::move(message)
                            : to_string(origin_) + ": " + message;
  answer_.error.transient = transient;
}

void http_call::judge_status() {
  if (what_.takes_errors)
    return;
  const auto number = std::to_string(answer_.status);
  const bool transient = is_transient_status(answer_.status);
  const auto to = " to " + what_.method + ' ' + path_of(what_.url);
  if (answer_.status >= 300 && answer_.status < 400 && !location_.empty())
    set_error("redirect_refused", "the answer " + number + " points to "
                                    + redirect_target(what_.url, location_)
                                    + "; redirects are not followed, name "
                                      "that place if it is right");
  else if (answer_.status >= 300 && answer_.status < 400)
    set_error("http_status", "the server answered " + number + to
                               + "; redirects are not followed");
  else if (answer_.status == 429)
    set_error("rate_limited", "too many requests (429)", transient);
  else if (answer_.status >= 500)
    set_error("server_error", "the server answered " + number + to, transient);
  else if (answer_.status < 200 || answer_.status > 299)
    set_error("http_status", "the server answered " + number + to, transient);
}

void http_call::judge(CURLcode how) {
  if (!answer_.error.code.empty())
    return;
  const std::string words = words_[0] != '\0' ? std::string{words_.data()}
                                              : curl().easy_strerror(how);
  switch (how) {
    case CURLE_OK:
      // libcurl takes headers that are cut by the connection's end.
      if (!headers_ended_)
        return set_error("connection_lost",
                         "the connection ended within the headers", true);
      return judge_status();
    case CURLE_FILESIZE_EXCEEDED:
      judge_status();
      if (answer_.is_ok())
        set_too_long();
      return;
    case CURLE_WRITE_ERROR:
      if (has_enough_)
        return judge_status();
      return set_error("answer_unreadable", "the answer could not be taken");
    case CURLE_OPERATION_TIMEDOUT:
      if (words.find("onnection time") != std::string::npos)
        return set_error("timed_out",
                         "no connection within "
                           + std::to_string(std::min(what_.connect_timeout_ms,
                                                     what_.timeout_ms))
                           + " ms",
                         true);
      if (words.starts_with("Operation too slow"))
        return set_error("timed_out",
                         "nothing has come for "
                           + std::to_string(what_.silence.count()) + " s",
                         true);
      return set_error("timed_out",
                       "no complete answer within "
                         + std::to_string(what_.timeout_ms) + " ms",
                       true);
    case CURLE_COULDNT_RESOLVE_HOST:
      return set_error("host_unknown", "the host's name cannot be resolved",
                       true);
    case CURLE_COULDNT_CONNECT:
      if (!refused_address_.empty())
        return set_error("address_refused",
                         "connecting to " + refused_address_
                           + " is not allowed; to allow it, name the host: "
                             "--allow net="
                           + origin_.host + ':' + std::to_string(origin_.port));
      return set_error("connect_failed",
                       is_refused() ? "nothing listens there; is the server "
                                      "running?"
                                    : words,
                       true);
    case CURLE_URL_MALFORMAT:
      return set_error("url_invalid", "libcurl does not accept this URL");
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return set_error("tls_failed", words);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return set_error("answer_unreadable", "the answer is not HTTP/1.1");
    default:
      return set_error("connection_lost", words, true);
  }
}

} // namespace convene::host
