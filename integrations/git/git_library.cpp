#include <convene/integrations/git/git_library.hpp>
#include <convene/runtime/log/files/late_library.hpp>

namespace convene::host::git {
namespace {

protocol::result<git_library> load_functions() {
  git_library made;
#define CONVENE_LATE(name) late("git_" #name, made.name),
  return load_library(CONVENE_LIBGIT2, {CONVENE_GIT_FUNCTIONS(CONVENE_LATE)})
#undef CONVENE_LATE
    .map([&] { return made; });
}

} // namespace

const protocol::result<git_library>& load_git() {
  static const auto made = load_functions();
  return made;
}

} // namespace convene::host::git
