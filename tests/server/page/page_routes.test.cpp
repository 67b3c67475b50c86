#include <catch2/catch.hpp>
#include <convene/server/page/page_files.hpp>
#include <convene/server/page/page_routes.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace convene::server;

class answer_taker final : public responder::target {
public:
  std::optional<response> taken;

  void answer(response what) override {
    taken = std::move(what);
  }
  void answer_after(std::chrono::milliseconds,
                    std::function<response()>) override {}
};

response answer_of(const route& endpoint) {
  const auto taker = std::make_shared<answer_taker>();
  endpoint.call(request{}, responder{taker});
  REQUIRE(taker->taken);
  return *taker->taken;
}

/// By pattern.
std::map<std::string, response> answers() {
  std::map<std::string, response> made;
  for (const auto& endpoint : page_routes())
    made.emplace(endpoint.pattern, answer_of(endpoint));
  return made;
}

std::string header(const response& of, std::string_view name) {
  const auto found = std::ranges::find(
    of.headers, name, &std::pair<std::string, std::string>::first);
  return found == of.headers.end() ? std::string{} : found->second;
}

/// All matches of the first group.
std::vector<std::string> all_in(const std::string& text, const char* pattern) {
  const std::regex wanted{pattern};
  std::vector<std::string> found;
  for (std::sregex_iterator at{text.begin(), text.end(), wanted}, end;
       at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

} // namespace

TEST_CASE("the page and its files are there for everybody") {
  const auto all = page_routes();
  CHECK(all.size() == page_files().size());
  CHECK(std::ranges::all_of(all, [](const route& one) {
    return one.method == "GET" && one.scope.empty();
  }));
  const auto got = answers();
  CHECK(got.at("/").content_type == "text/html; charset=utf-8");
  CHECK(got.at("/").body.starts_with("<!doctype html>"));
  CHECK(got.at("/session/{id}").body.starts_with("<!doctype html>"));
  CHECK(got.at("/page/page.js").content_type
        == "text/javascript; charset=utf-8");
  CHECK(got.at("/page/page.css").content_type == "text/css; charset=utf-8");
  CHECK(got.at("/page/icon.svg").content_type == "image/svg+xml");
}

TEST_CASE("the page's files come with headers that forbid all that they do not "
          "need") {
  for (const auto& [pattern, got] : answers()) {
    INFO(pattern);
    const auto policy = header(got, "Content-Security-Policy");
    for (const auto* part :
         {"default-src 'none'", "script-src 'self'", "style-src 'self'",
          "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
          "frame-ancestors 'none'", "require-trusted-types-for 'script'",
          "trusted-types 'none'"})
      CHECK(policy.find(part) != policy.npos);
    CHECK(policy.find("unsafe") == policy.npos);
    CHECK(policy.find("://") == policy.npos);
    CHECK(policy.find('*') == policy.npos);
    CHECK(header(got, "Referrer-Policy") == "no-referrer");
    CHECK(header(got, "Cache-Control") == "no-cache");
    CHECK(header(got, "Cross-Origin-Opener-Policy") == "same-origin");
    CHECK(header(got, "Cross-Origin-Resource-Policy") == "same-origin");
  }
}

TEST_CASE("nothing on the page names another host") {
  for (const auto& file : page_files()) {
    INFO(file.name);
    auto addresses = all_in(std::string{file.text},
                            R"re((\w+://[^"'`\s<>]*))re");
    // The name of a format, which nobody asks for.
    std::erase(addresses, "http://www.w3.org/2000/svg");
    CHECK(addresses.empty());
    CHECK(all_in(std::string{file.text}, R"re((["'(]//[\w.]))re").empty());
  }
}

TEST_CASE("the page has no inline script, style or handler") {
  for (const auto* place : {"/", "/session/{id}"}) {
    const auto page = answers().at(place).body;
    CHECK(all_in(page, "(<style)").empty());
    CHECK(all_in(page, R"((\sstyle\s*=))").empty());
    CHECK(all_in(page, R"((\son\w+\s*=))").empty());
    CHECK(all_in(page, "(javascript:)").empty());
    CHECK(all_in(page, R"((<script[^>]*>[^<]+))").empty());
  }
}

TEST_CASE("what the page and its scripts load, the server has") {
  const auto got = answers();
  for (const auto* place : {"/", "/session/{id}"}) {
    const auto named = all_in(got.at(place).body,
                              R"re((?:src|href)="(/[^"]*)")re");
    CHECK(named.size() >= 5); // script, styles, icon
    for (const auto& one : named) {
      INFO(one);
      CHECK(got.contains(one));
    }
  }
  for (const auto& file : page_files())
    for (const auto& one :
         all_in(std::string{file.text}, R"re(from '\./([^']+)')re")) {
      INFO(file.name << " imports " << one);
      CHECK(got.contains("/page/" + one));
    }
}

TEST_CASE("no script of the page reads text as markup or as code") {
  for (const auto& file : page_files()) {
    INFO(file.name);
    CHECK(all_in(std::string{file.text},
                 R"((innerHTML|outerHTML|insertAdjacentHTML|document\.write|)"
                 R"(DOMParser|\beval\(|new Function|srcdoc|localStorage))")
            .empty());
  }
}
