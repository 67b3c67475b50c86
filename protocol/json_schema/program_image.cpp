#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/program_image.hpp>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace convene::protocol::validation {
namespace {

/// Calls `v` with each part of a program.
void visit_program(auto& of, auto&& v) {
  v(of.root);
  v(of.nodes);
  v(of.code);
  v(of.lists);
  v(of.numbers);
  v(of.constants);
  v(of.texts);
  v(of.patterns);
  v(of.formats);
  v(of.tables);
  v(of.members);
  v(of.member_patterns);
  v(of.dependencies);
  names::visit(of.table_names, v);
}

template <class T>
constexpr bool is_flat = std::is_trivially_copyable_v<T>;

class image_writer {
public:
  template <class T>
  void operator()(const T& flat) requires is_flat<T> {
    auto copy = flat;
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&copy);
#endif
    char bytes[sizeof(T)];
    std::memcpy(bytes, &copy, sizeof(T));
    image.append(bytes, sizeof(T));
  }

  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    for (const auto& one : list)
      (*this)(one);
  }

  void operator()(const std::string& text) {
    (*this)(text.size());
    image += text;
  }
  void operator()(const json::value& constant) {
    (*this)(std::string{json::serialize(constant)});
  }
  void operator()(const pattern& one) {
    (*this)(one.source);
  }
  void operator()(const named_check& one) {
    (*this)(one.name);
  }

  std::string image;
};

class image_reader {
public:
  explicit image_reader(std::string_view image) : rest_{image} {}

  template <class T>
  void operator()(T& flat) requires is_flat<T> {
    std::memcpy(&flat, take(sizeof(T)).data(), sizeof(T));
  }

  template <class T>
  void operator()(std::vector<T>& list) {
    const auto size = read_size();
    if constexpr (is_flat<T>) {
      const auto bytes = take(size * sizeof(T));
      list.resize(size);
      if (size > 0)
        std::memcpy(list.data(), bytes.data(), bytes.size());
    } else {
      list.reserve(size);
      for (std::size_t i = 0; i < size; ++i)
        (*this)(list.emplace_back());
    }
  }

  void operator()(std::string& text) {
    text = take(read_size());
  }
  void operator()(json::value& constant) {
    constant = parse_json(take(read_size())).value();
  }
  void operator()(pattern& one) {
    one = accepted_pattern(take(read_size()));
  }
  void operator()(named_check& one) {
    (*this)(one.name);
    one.check = find_format(one.name);
  }

private:
  std::size_t read_size() {
    std::size_t size = 0;
    (*this)(size);
    return size;
  }

  std::string_view take(std::size_t size) {
    if (size > rest_.size())
      throw std::logic_error{"the image of a schema is cut short"};
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

} // namespace

std::string to_image(const program& what) {
  image_writer writer;
  visit_program(what, writer);
  return std::move(writer.image);
}

program from_image(std::string_view image) {
  program made;
  visit_program(made, image_reader{image});
  return made;
}

} // namespace convene::protocol::validation
