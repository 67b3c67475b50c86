#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace convene::tests {

/// A new folder that goes away with the test.
class scratch_folder {
public:
  scratch_folder() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path()
            / ("convene-log-" + std::to_string(random()) + '-'
               + std::to_string(random()));
    std::filesystem::create_directories(path_);
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const {
    return path_;
  }

private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline void write_bytes(const std::filesystem::path& path,
                        const std::string& bytes) {
  std::ofstream{path, std::ios::binary} << bytes;
}

inline void append_bytes(const std::filesystem::path& path,
                         const std::string& bytes) {
  std::ofstream{path, std::ios::binary | std::ios::app} << bytes;
}

} // namespace convene::tests
