#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace convene::server {

/// The bytes of answers that are in memory because their readers have not taken
/// them yet, by reader: a key, or an address without one. Thread-safe.
class answer_budget : public std::enable_shared_from_this<answer_budget> {
public:
  struct limits {
    std::size_t reader_max = 64 << 20; ///< of one key, or one address
    std::size_t all_max = 256 << 20;
  };

  explicit answer_budget(limits bounds) : limits_{bounds} {}

  /// Bytes that count until it is destroyed.
  class charge {
  public:
    charge() = default;
    charge(charge&& other) noexcept
      : of_{std::move(other.of_)}, reader_{std::move(other.reader_)},
        bytes_{std::exchange(other.bytes_, 0)} {}
    charge& operator=(charge&& other) noexcept {
      release();
      of_ = std::move(other.of_);
      reader_ = std::move(other.reader_);
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    ~charge() {
      release();
    }

    void release();

  private:
    friend class answer_budget;
    std::shared_ptr<answer_budget> of_;
    std::string reader_;
    std::size_t bytes_ = 0;
  };

  enum class room : unsigned char { enough, reader_full, full };

  /// Whether so many more bytes of this reader fit. A reader without any may
  /// have one answer, however long it is, unless the others fill the server.
  [[nodiscard]] room room_for(std::string_view reader,
                              std::size_t bytes = 1) const;

  /// Counts them if they fit; otherwise says why not.
  [[nodiscard]] room try_take(std::string_view reader, std::size_t bytes,
                              charge& into);

  /// Counts them in any case.
  [[nodiscard]] charge take(std::string_view reader, std::size_t bytes);

  [[nodiscard]] std::size_t bytes() const;

  /// The largest number of bytes since the last call.
  [[nodiscard]] std::size_t take_peak();

private:
  [[nodiscard]] room room_within(std::string_view reader,
                                 std::size_t bytes) const;
  [[nodiscard]] charge count(std::string_view reader, std::size_t bytes);
  void give_back(const std::string& reader, std::size_t bytes);

  const limits limits_;
  mutable std::mutex mutex_; ///< guards what follows
  std::map<std::string, std::size_t, std::less<>> readers_;
  std::size_t bytes_ = 0;
  std::size_t peak_ = 0;
};

} // namespace convene::server
