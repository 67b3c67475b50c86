#include <catch2/catch.hpp>
#include <convene/cli/pages/report_page.hpp>

#include <limits>

using Catch::Contains;
using namespace convene::cli;

TEST_CASE("a report with more data than a page can have is refused by name") {
  report_page page{.title = "Large"};
  page.data = boost::json::string(1000, 'x');
  CHECK(to_html(page, 2000));
  const auto refused = to_html(page, 1000);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == convene::protocol::errc::limit_reached);
  CHECK(refused.error().rule == "report_bytes_max");
}

TEST_CASE("a report's text is no markup, and its numbers need not be finite") {
  const std::string evil = "</script><script>alert(1)</script></title>\xff";
  report_page page{.title = evil, .subtitle = evil};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  constexpr double beyond = std::numeric_limits<double>::infinity();
  page.parts.push_back(
    {.title = evil,
     .content = report_lines{.series = {{evil, {{none, beyond}, {1, {}}}}}}});
  page.parts.push_back(
    {.title = evil,
     .content = report_table{.columns = {{evil}}, .rows = {{none}, {evil}}}});
  const auto html = to_html(page);
  REQUIRE(html);
  CHECK_FALSE(Contains("<script>alert").match(*html));
  CHECK_THAT(*html, Contains("<title>convene: &lt;/script>&lt;script>"));
  CHECK_THAT(*html, Contains("default-src 'none'"));
}
