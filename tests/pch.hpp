// Precompiled for all tests: what most of them read first.
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <tl/expected.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
