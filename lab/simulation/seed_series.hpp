#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace convene::host {

/// Most rows of a simulation's series; those beyond are counted.
inline constexpr std::size_t series_rows_max = 1'000'000;

/// The first row of a series, without a line end: what each column is says
/// docs/simulation.md.
inline constexpr std::string_view series_columns
  = "seed,kind,number,participant_id,status,asked_ms,waited_ms,duration_ms,"
    "writes,conflicts,tokens,cost_microusd";

/// A text as a field of a CSV file (RFC 4180). Control characters are written
/// as `\x1b`, and a text that a spreadsheet would calculate begins with `'`.
[[nodiscard]] std::string csv_field(std::string_view text);

/// The turns and the answers to broadcasts of one seed, as rows.
struct series_rows {
  std::string text;
  std::size_t count = 0;
};

/// Collects the rows of one session from its events.
class seed_series {
public:
  explicit seed_series(std::uint64_t seed) : seed_(seed) {}

  /// The session's next event.
  void feed(const boost::json::object& event);

  [[nodiscard]] series_rows finish() {
    return std::move(rows_);
  }

private:
  struct open_request {
    std::string_view kind;
    std::int64_t number = 0;
    protocol::timestamp_ms asked_at = 0;
    std::int64_t writes = 0;
    std::int64_t conflicts = 0;
  };
  /// Token and participant: all receivers of a broadcast have the same token.
  using request = std::pair<std::string, std::string>;

  void note(const boost::json::object& payload, std::string_view token,
            std::int64_t open_request::*what);
  void close(const boost::json::object& payload, std::string_view token,
             std::string_view who, protocol::timestamp_ms at);

  std::uint64_t seed_;
  protocol::timestamp_ms started_at_ = 0;
  std::map<request, open_request> open_;
  std::map<std::string, protocol::timestamp_ms, std::less<>> free_since_;
  series_rows rows_;
};

/// The file of a simulation's series: rows by seed, whatever the order in which
/// seeds end. Thread-safe.
class series_file {
public:
  [[nodiscard]] protocol::result<void> open(const std::filesystem::path& file);

  /// The rows of the seed at this position. Nothing else is added for it.
  void add(std::size_t position, series_rows rows);

  /// Writes what waits for seeds that have never come, and closes the file.
  [[nodiscard]] protocol::result<void> finish();

  [[nodiscard]] std::size_t written() const noexcept {
    return written_;
  }
  [[nodiscard]] std::size_t left_out() const noexcept {
    return left_out_;
  }

private:
  void write(const series_rows& rows);

  std::mutex mutex_;
  std::filesystem::path path_;
  std::ofstream out_; ///< guarded by mutex, like the rest
  std::map<std::size_t, series_rows> waiting_;
  std::size_t next_ = 0; ///< position
  std::size_t written_ = 0;
  std::size_t left_out_ = 0;
};

} // namespace convene::host
