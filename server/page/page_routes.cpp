#include <convene/server/page/page_files.hpp>
#include <convene/server/page/page_routes.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace convene::server {
namespace {

/// Where a document is; other files are below /page/.
std::string place_of(std::string_view name) {
  if (name == "page.html")
    return "/";
  if (name == "session.html")
    return "/session/{id}";
  return "/page/" + std::string{name};
}

/// The page runs its own scripts and no text, asks nobody but this server, is
/// in no frame, and its forms are sent by nothing but its scripts, so that no
/// key gets into an address. Where a browser knows Trusted Types, no text can
/// become markup, whatever the scripts do.
constexpr std::string_view content_policy
  = "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".html"))
    return "text/html; charset=utf-8";
  if (name.ends_with(".css"))
    return "text/css; charset=utf-8";
  if (name.ends_with(".js"))
    return "text/javascript; charset=utf-8";
  return "image/svg+xml";
}

/// What the server itself says of every answer is not here.
response answer_with(const page_file& file) {
  return {.content_type = std::string{type_of(file.name)},
          .body = std::string{file.text},
          .headers = {{"Content-Security-Policy", std::string{content_policy}},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      // Its files belong together, so a program that was
                      // replaced replaces all of them.
                      {"Cache-Control", "no-cache"}}};
}

} // namespace

routes page_routes() {
  routes made;
  for (const auto& file : page_files())
    made.push_back({.method = "GET",
                    .pattern = place_of(file.name),
                    .call = [&file](const request&, const responder& answer) {
                      answer(answer_with(file));
                    }});
  return made;
}

} // namespace convene::server
