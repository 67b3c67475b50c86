#include "one_run.hpp"

#include <convene/lab/simulation/seed_series.hpp>
#include <runtime/log/event_log/files.hpp>

using namespace convene;
using host::csv_field;
using tests::one_run;

TEST_CASE("a field is what it says, to any reader of CSV files") {
  CHECK(csv_field("ann") == "ann");
  CHECK(csv_field("") == "");
  CHECK(csv_field("a,b") == R"("a,b")");
  CHECK(csv_field(R"(say "hi")") == R"("say ""hi""")");
  CHECK(csv_field("a\nb\x1b[2J\x7f") == R"(a\x0ab\x1b[2J\x7f)");
  CHECK(csv_field("=1+1") == "'=1+1");
  CHECK(csv_field("@x,") == R"("'@x,")");
  CHECK(csv_field("\xc3\xa9") == "\xc3\xa9");
}

TEST_CASE("each turn is a row, with what was written in it") {
  const one_run one;
  host::seed_series series{1};
  host::seed_findings found;
  host::check_seed(one.log, *one.ended, found,
                   [&](auto, const boost::json::value& event, auto) {
                     series.feed(event.as_object());
                   });
  const auto rows = series.finish();
  CHECK(rows.count == 6);
  // ann writes at once, bob thinks; ann's second write is a conflict.
  CHECK_THAT(rows.text,
             Catch::StartsWith("1,turn,1,ann,completed,0,0,0,1,0,0,0\n"
                               "1,turn,2,bob,completed,0,0,"));
  CHECK_THAT(rows.text, Catch::Contains(",ann,completed,"));
  CHECK_THAT(rows.text, Catch::Contains(",0,0,1,0,0\n"));
}

TEST_CASE("a row has as many tokens as can be where they cannot be added up") {
  host::seed_series series{1};
  for (const auto* const line : {R"({"event_type":"MAPTurnDispatched","payload":
            {"token_id":"t","participant_id":"ann","turn_number":1}})",
                                 R"({"event_type":"MAPTurnCompleted","payload":
            {"token_id":"t","participant_id":"ann","status":"completed",
             "reply":{"usage":{"prompt_tokens":9223372036854775807,
                               "completion_tokens":1,"cost_microusd":2}}}})"})
    series.feed(protocol::parse_json(line)->as_object());
  CHECK(series.finish().text
        == "1,turn,1,ann,completed,0,0,0,0,0,9223372036854775807,2\n");
}

TEST_CASE("rows are in the order of the seeds, however these end") {
  const tests::scratch_folder folder;
  const auto path = folder / "series.csv";
  host::series_file file;
  REQUIRE(file.open(path));
  file.add(2, {"third\n", 1});
  file.add(0, {"first\n", 1});
  file.add(1, {});
  file.add(4, {"fifth\n", 1});
  REQUIRE(file.finish());
  CHECK(tests::read_bytes(path)
        == std::string{host::series_columns} + "\nfirst\nthird\nfifth\n");
  CHECK(file.written() == 3);
  CHECK(file.left_out() == 0);
}

TEST_CASE("rows beyond the bound are counted, and a seed's are kept together") {
  const tests::scratch_folder folder;
  host::series_file file;
  REQUIRE(file.open(folder / "series.csv"));
  file.add(0, {"a\n", host::series_rows_max - 1});
  file.add(1, {"b\n", 2});
  file.add(2, {"c\n", 1});
  REQUIRE(file.finish());
  CHECK(tests::read_bytes(folder / "series.csv")
        == std::string{host::series_columns} + "\na\n");
  CHECK(file.written() == host::series_rows_max - 1);
  CHECK(file.left_out() == 3);
}
