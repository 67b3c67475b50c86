// Runs a fuzz target on each file of the folders that it is given, where there
// is no libFuzzer to do so.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

// Targets with a mutator of their own name it; files are tried as they are, and
// no mutator is called.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* /*data*/,
                                        std::size_t size,
                                        std::size_t /*size_max*/) {
  return size;
}

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator{folder})
    out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

int main(int count, char** arguments) {
  std::size_t tried = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& file : files_in(arguments[i])) {
      const auto bytes = bytes_of(file);
      // Names the file if this is the input that ends the program.
      std::fprintf(stderr, "%s\r", file.c_str());
      LLVMFuzzerTestOneInput(
        reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++tried;
    }
  }
  std::fprintf(stderr, "%zu inputs\n", tried);
  return tried == 0 ? 1 : 0;
}
