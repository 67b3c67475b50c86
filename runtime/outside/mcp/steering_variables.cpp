#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/mcp/server_settings.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace convene::host {
namespace {

using word = std::string_view;

/// Of loaders, interpreters, runtimes, tools and their package managers.
constexpr std::array beginnings{
  word{"LD_"},     word{"DYLD_"},   word{"BASH"},      word{"PYTHON"},
  word{"PIP_"},    word{"UV_"},     word{"CONDA"},     word{"VIRTUAL_ENV"},
  word{"NODE_"},   word{"NPM_"},    word{"YARN_"},     word{"PNPM_"},
  word{"BUN_"},    word{"DENO_"},   word{"ELECTRON_"}, word{"COREPACK"},
  word{"PERL"},    word{"RUBY"},    word{"GEM_"},      word{"BUNDLE"},
  word{"JAVA"},    word{"_JAVA"},   word{"JDK_"},      word{"JRE_"},
  word{"MAVEN"},   word{"GRADLE"},  word{"DOTNET"},    word{"COMPLUS_"},
  word{"CORECLR"}, word{"COR_"},    word{"LUA"},       word{"PHP"},
  word{"R_"},      word{"JULIA"},   word{"GUILE"},     word{"ERL_"},
  word{"ELIXIR"},  word{"GO"},      word{"CARGO"},     word{"RUST"},
  word{"GIT_"},    word{"SSH_"},    word{"SUDO_"},     word{"NIX_"},
  word{"GTK_"},    word{"QT_"},     word{"GIO_"},      word{"GCONV"},
  word{"GLIBC"},   word{"MALLOC_"}, word{"OPENSSL"},   word{"SSL_"},
  word{"CURL_"},   word{"DOCKER_"}, word{"KUBE"},      word{"XDG_"}};

constexpr std::array endings{
  word{"PATH"},  word{"_PROXY"},     word{"_OPTIONS"}, word{"_OPTS"},
  word{"_LIB"},  word{"_LIBS"},      word{"_PRELOAD"}, word{"_COMMAND"},
  word{"_INIT"}, word{"_STARTUP"},   word{"_HOOK"},    word{"_HOOKS"},
  word{"_HOME"}, word{"_CA_BUNDLE"}, word{"_CERTS"},   word{"_CERT_FILE"},
  word{"RC"},    word{"_EDITOR"},    word{"_PAGER"},   word{"_SHELL"}};

constexpr std::array whole{
  word{"ENV"},       word{"IFS"},      word{"PS4"},         word{"SHELL"},
  word{"SHELLOPTS"}, word{"EDITOR"},   word{"VISUAL"},      word{"PAGER"},
  word{"BROWSER"},   word{"LESSOPEN"}, word{"LESSCLOSE"},   word{"MAKEFLAGS"},
  word{"MANPAGER"},  word{"TERMINFO"}, word{"HOSTALIASES"}, word{"TMPDIR"},
  word{"HOME"},      word{"USER"},     word{"LOGNAME"}};

/// What is set so often that it is known to be harmless.
constexpr std::array harmless{
  word{"NODE_ENV"},         word{"PYTHONUNBUFFERED"}, word{"PYTHONIOENCODING"},
  word{"PYTHONUTF8"},       word{"RUST_LOG"},         word{"RUST_BACKTRACE"},
  word{"MEMORY_FILE_PATH"}, word{"NODE_NO_WARNINGS"}};

} // namespace

bool steers_programs(std::string_view name) {
  std::string upper{name};
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return protocol::is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  });
  if (std::ranges::find(harmless, name) != harmless.end())
    return false;
  return std::ranges::find(whole, upper) != whole.end()
         || std::ranges::any_of(
           beginnings, [&](word each) { return upper.starts_with(each); })
         || std::ranges::any_of(endings, [&](word each) {
              return upper.ends_with(each);
            });
}

} // namespace convene::host
