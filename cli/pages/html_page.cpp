#include <convene/cli/pages/html_page.hpp>
#include <convene/protocol/text/base64.hpp>
#include <convene/runtime/log/digest/digest.hpp>

#include <utility>

namespace convene::cli {
namespace {

/// Text between tags.
std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '&')
      all += "&amp;";
    else if (c == '<')
      all += "&lt;";
    else
      all += c;
  }
  return all;
}

/// What allows an element with this content.
std::string source_hash(std::string_view content) {
  const auto digest = host::digest_of(content);
  return "'sha256-"
         + protocol::to_base64(
           {reinterpret_cast<const char*>(digest.data()), digest.size()})
         + '\'';
}

} // namespace

std::string block_html(const page_block& block) {
  // Base64 has no character that ends an element, so a block cannot.
  return "<script type=\"text/plain\" id=\"" + block.id + "\">"
         + protocol::to_base64(block.bytes) + "</script>\n";
}

std::string to_html(const html_page& page) {
  auto [html, after] = to_html_halves(page);
  return html + after;
}

html_halves to_html_halves(const html_page& page) {
  auto html = "<!doctype html>\n<html lang=\"en\">\n<head>\n"
              "<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\""
              "default-src 'none'; script-src "
              + source_hash(page.source.script) + "; style-src "
              + source_hash(page.source.style)
              + "; img-src data:; base-uri 'none'; form-action 'none'; "
                "require-trusted-types-for 'script'; trusted-types 'none'\">\n"
                "<meta name=\"viewport\" "
                "content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<meta name=\"referrer\" content=\"no-referrer\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>"
              + escaped(page.title) + "</title>\n<style>"
              + std::string{page.source.style} + "</style>\n</head>\n<body>\n"
              + std::string{page.source.body};
  for (const auto& block : page.first)
    html += block_html(block);
  html += "<script>" + std::string{page.source.script} + "</script>\n";
  for (const auto& block : page.later)
    html += block_html(block);
  return {std::move(html), "</body>\n</html>\n"};
}

} // namespace convene::cli
