#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convene::tests {

/// A request, and the status that it is refused with; 0: it is taken.
struct framing_case {
  std::string_view name;
  std::string bytes;
  unsigned status = 400;
};

/// Requests whose end, or whose meaning, servers and proxies have disagreed
/// about, and their harmless relatives. The host is `h`.
inline std::vector<framing_case> framing_cases() {
  using namespace std::string_literals;
  const std::string get = "GET /hello HTTP/1.1\r\nHost: h\r\n";
  const std::string post
    = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
  const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
  return {
    {"a plain GET", get + "\r\n", 0},
    {"a plain POST", post + "Content-Length: 2\r\n\r\n{}", 0},
    {"a length of nothing", post + "Content-Length: 0\r\n\r\n", 0},
    {"chunks", chunked + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", 0},
    {"a chunk's size in capitals and with zeros",
     chunked + "000A\r\n0123456789\r\n0\r\n\r\n", 0},
    {"a coding in capitals",
     post + "Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", 0},
    {"a target with its host", "GET http://h/hello HTTP/1.1\r\nHost: h\r\n\r\n",
     0},
    {"blanks around a value", get + "X: \t a b \t\r\n\r\n", 0},
    {"HTTP/1.0 without a host", "GET /hello HTTP/1.0\r\n\r\n", 0},

    {"both a length and a coding",
     post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"},
    {"a coding and a length",
     post + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}"},
    {"two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"},
    {"the same length twice",
     post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"},
    {"a list of lengths", post + "Content-Length: 2, 2\r\n\r\n{}"},
    {"a length with a sign", post + "Content-Length: +2\r\n\r\n{}"},
    {"a negative length", post + "Content-Length: -2\r\n\r\n{}"},
    {"a length in hexadecimal", post + "Content-Length: 0x2\r\n\r\n{}"},
    {"a length with a blank inside", post + "Content-Length: 1 2\r\n\r\n{}"},
    {"an empty length", post + "Content-Length: \r\n\r\n{}"},
    {"a length beyond 64 bits",
     post + "Content-Length: 18446744073709551618\r\n\r\n{}"},
    {"a length beyond the limit", post + "Content-Length: 99999999999\r\n\r\n",
     413},
    {"two codings", post
                      + "Transfer-Encoding: chunked\r\nTransfer-Encoding: "
                        "chunked\r\n\r\n0\r\n\r\n"},
    {"a coding twice",
     post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"},
    {"an unknown coding", post + "Transfer-Encoding: gzip, chunked\r\n\r\n"},
    {"a coding that only looks like chunked",
     post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
    {"a coding with a parameter",
     post + "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n"},
    {"identity", post + "Transfer-Encoding: identity\r\n\r\n"},
    {"a coding with a control character",
     post + "Transfer-Encoding: \x0b"s + "chunked\r\n\r\n0\r\n\r\n"},
    {"a coding in HTTP/1.0", "POST /echo HTTP/1.0\r\nHost: h\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    {"a blank before the colon",
     post + "Content-Length : 2\r\nTransfer-Encoding: chunked\r\n\r\n"},
    {"a tab before the colon", post + "Transfer-Encoding\t: chunked\r\n\r\n"},
    {"a header without a name", get + ": x\r\n\r\n"},
    {"a header without a colon", get + "X\r\n\r\n"},
    {"a folded header", get + "X: a\r\n b\r\n\r\n"},
    {"a folded header, by a tab", get
                                    + "X: a\r\n\tTransfer-Encoding: chunked\r\n"
                                      "\r\n"},
    {"a first header that is folded",
     "GET /hello HTTP/1.1\r\n Host: h\r\n\r\n"},
    {"a quote in a name", get + "X\"Y: a\r\n\r\n"},
    {"a letter outside ASCII in a name", get + "X\xc3\xa9: a\r\n\r\n"},
    {"bare line feeds", "GET /hello HTTP/1.1\nHost: h\n\n"},
    {"one bare line feed", get + "X: a\nY: b\r\n\r\n"},
    {"a bare carriage return", get + "X: a\rY: b\r\n\r\n"},
    {"two carriage returns", get + "X: a\r\r\n\r\n"},
    {"a NUL in a value", get + "X: a\0b\r\n\r\n"s},
    {"a NUL in the target", "GET /he\0llo HTTP/1.1\r\nHost: h\r\n\r\n"s},
    {"an empty line first", "\r\n" + get + "\r\n"},
    {"no host", "GET /hello HTTP/1.1\r\n\r\n"},
    {"two hosts", "GET /hello HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"},
    {"an empty host", "GET /hello HTTP/1.1\r\nHost:\r\n\r\n"},
    {"a host with a user", "GET /hello HTTP/1.1\r\nHost: a@h\r\n\r\n"},
    {"a host with a path", "GET /hello HTTP/1.1\r\nHost: h/x\r\n\r\n"},
    {"a host with a comma", "GET /hello HTTP/1.1\r\nHost: h,x\r\n\r\n"},
    {"a port that is none", "GET /hello HTTP/1.1\r\nHost: h:x\r\n\r\n"},
    {"a target of another host",
     "GET http://x/hello HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"a target of another scheme",
     "GET ftp://h/hello HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"a target without a path", "GET hello HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"an asterisk", "GET * HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"a tunnel", "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n"},
    {"a fragment", "GET /hello#x HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"bytes outside ASCII in the target",
     "GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"two blanks in the line", "GET  /hello HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"a blank after the line", "GET /hello HTTP/1.1 \r\nHost: h\r\n\r\n"},
    {"a tab in the line", "GET\t/hello\tHTTP/1.1\r\nHost: h\r\n\r\n"},
    {"no version", "GET /hello\r\nHost: h\r\n\r\n"},
    {"a lower-case version", "GET /hello http/1.1\r\nHost: h\r\n\r\n"},
    {"another version", "GET /hello HTTP/2.0\r\nHost: h\r\n\r\n", 505},
    {"a version with more digits", "GET /hello HTTP/1.10\r\nHost: h\r\n\r\n",
     505},
    {"a method that is no word", "G,T /hello HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"a dot segment", "GET /a/../hello HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"a hidden dot segment", "GET /a/%2e%2E/hello HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"an escaped NUL", "GET /hello%00 HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"an escape that is none", "GET /hello%2 HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"escapes that are not UTF-8", "GET /%ff HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"a query with a member twice",
     "GET /hello?a=1&a=2 HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"a body of a GET", get + "Content-Length: 2\r\n\r\n{}"},
    {"another expectation", get + "Expect: 200-ok\r\n\r\n", 417},

    {"a chunk's size that is none", chunked + "x\r\n{}\r\n0\r\n\r\n"},
    {"a chunk's size with 0x", chunked + "0x2\r\n{}\r\n0\r\n\r\n"},
    {"a chunk's size with a sign", chunked + "+2\r\n{}\r\n0\r\n\r\n"},
    {"a negative chunk's size", chunked + "-2\r\n{}\r\n0\r\n\r\n"},
    {"a chunk's size with a blank", chunked + "2 \r\n{}\r\n0\r\n\r\n"},
    {"a blank before a chunk's size", chunked + " 2\r\n{}\r\n0\r\n\r\n"},
    {"a chunk's size beyond 64 bits",
     chunked + "10000000000000002\r\n{}\r\n0\r\n\r\n"},
    {"a chunk beyond the limit", chunked + "ffffffffff\r\n{}\r\n0\r\n\r\n",
     413},
    {"a chunk with an extension", chunked + "2;a=b\r\n{}\r\n0\r\n\r\n"},
    {"a chunk with a bare line feed in an extension",
     chunked + "2;\nxx\r\n{}\r\n0\r\n\r\n"},
    {"a chunk's size with a bare line feed", chunked + "2\n{}\r\n0\r\n\r\n"},
    {"a chunk longer than it says", chunked + "2\r\n{}}\r\n0\r\n\r\n"},
    {"a chunk that ends with a line feed", chunked + "2\r\n{}\n0\r\n\r\n"},
    {"a chunk that ends with a carriage return",
     chunked + "2\r\n{}\rx0\r\n\r\n"},
    {"an endless chunk's size", chunked + std::string(200, '0')},
    {"an empty chunk's size", chunked + "\r\n{}\r\n0\r\n\r\n"},
    {"a trailer", chunked + "2\r\n{}\r\n0\r\nX: y\r\n\r\n"},
    {"a last chunk with an extension", chunked + "2\r\n{}\r\n0;a\r\n\r\n"},
  };
}

} // namespace convene::tests
