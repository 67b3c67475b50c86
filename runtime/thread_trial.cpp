#include <convene/runtime/thread_trial.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace convene::host {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

/// Of CAF: a timer, and one that prints; under virtual time it has none.
constexpr std::size_t threads_of_caf = 2;
/// The log's and that for snapshots.
constexpr std::size_t threads_of_log = 2;

/// What a runtime takes until the first session is done, and some more.
constexpr std::size_t memory_bytes = std::size_t{32} << 20;

/// What trials have found and no runtime has begun with.
std::atomic<std::size_t> found_ahead = 0;

std::size_t threads_of(const runtime_options& how) {
  if (how.seed)
    return how.log.empty() ? 0 : threads_of_log;
  return workers_of(how) + threads_of_caf + threads_of_log;
}

tl::unexpected<error> too_little_memory() {
  return fail(errc::io_failed,
              "the system gives too little memory to begin with; raise the "
              "limit (ulimit -v)",
              "memory");
}

/// Threads that do nothing until all of them are there.
class waiting_threads {
public:
  explicit waiting_threads(std::size_t most) : pieces_(most) {
    threads_.reserve(most);
  }

  waiting_threads(const waiting_threads&) = delete;
  waiting_threads& operator=(const waiting_threads&) = delete;

  ~waiting_threads() {
    gate_.set_value();
    for (auto& one : threads_)
      one.join();
  }

  /// Starts one more and waits until it has what a thread takes for itself: the
  /// allocator reserves far more for each than it is asked for.
  void start() {
    auto& piece = pieces_[threads_.size()];
    const auto before = ready_.load();
    threads_.emplace_back([this, &piece, gate = opened_] {
      constexpr std::size_t some = 64;
      piece.reset(new (std::nothrow) char[some]);
      ++ready_;
      ready_.notify_one();
      gate.wait();
    });
    ready_.wait(before);
  }

private:
  std::promise<void> gate_;
  std::shared_future<void> opened_ = gate_.get_future().share();
  std::atomic<std::size_t> ready_ = 0;
  std::vector<std::unique_ptr<char[]>> pieces_;
  std::vector<std::thread> threads_;
};

} // namespace

std::size_t workers_of(const runtime_options& how) {
  return how.threads != 0
           ? how.threads
           : std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
}

namespace {

/// Starts as many for a moment.
result<void> start_threads(std::size_t wanted) {
  std::size_t started = 0;
  try {
    waiting_threads all{wanted};
    for (; started < wanted; ++started)
      all.start();
    const std::unique_ptr<char[]> room{new char[memory_bytes]};
  } catch (const std::system_error& none) {
    return fail(errc::io_failed,
                "the system gives " + std::to_string(started)
                  + " threads of the " + std::to_string(wanted)
                  + " to begin with (" + none.what()
                  + "); raise the limit (ulimit -u, ulimit -v) or use fewer "
                    "(--threads)",
                "threads");
  } catch (const std::bad_alloc&) {
    return too_little_memory();
  }
  return {};
}

} // namespace

result<void> try_threads(const runtime_options& how, std::size_t more) {
  const auto wanted = threads_of(how) + more;
  auto tried = start_threads(wanted);
  if (tried)
    found_ahead = wanted;
  return tried;
}

result<void> claim_threads(const runtime_options& how) {
  const auto wanted = threads_of(how);
  auto found = found_ahead.load();
  while (wanted > 0 && found >= wanted)
    if (found_ahead.compare_exchange_weak(found, found - wanted))
      return {};
  return start_threads(wanted);
}

} // namespace convene::host
