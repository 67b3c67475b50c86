// Which files a sandboxed program can write, and which it can read.

#include <attack/sandbox/cage.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/processes/confined_user.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <string>

using namespace convene;
using test::cage;
using test::folder_of_test;

namespace {

/// Prints each file that can be opened for writing, and each folder in which a
/// file can be made; both only if they are not in the list of harmless ones.
constexpr auto inventory = R"(
import os, re, sys
harmless = [
    r'/dev/(null|zero|full|random|urandom)', # forget what is written, or mix it in
    r'/dev/tty', # there is no terminal: a session of its own
    r'/dev/(pts/)?ptmx', # makes a terminal of its own, in a devpts of its own
    r'/dev/std(in|out|err)', # links to what convene has given it
    r'/proc/\d+(/task/\d+)?/fd/\d+', # the same
    r'/(tmp|dev/shm)/mine', # folders of its own, in memory
]
count = 0
def writes(path):
    global count
    count += 1
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY))
        return True
    except OSError:
        return False
def makes(folder):
    try:
        os.close(os.open(folder + '/mine', os.O_WRONLY | os.O_CREAT, 0o600))
        os.unlink(folder + '/mine')
        return True
    except OSError:
        return False
tops = ['/proc', '/sys', '/dev', '/run', '/tmp', '/var/tmp']
for top in tops:
    for folder, folders, files in os.walk(top):
        if folder == os.getcwd():
            folders.clear()
            continue
        found = [folder + '/' + f for f in files if writes(folder + '/' + f)]
        if makes(folder):
            found.append(folder + '/mine')
        for each in found:
            if not any(re.fullmatch(h, each) for h in harmless):
                print(each)
for folder in ['/', '/etc', '/home', '/opt', '/root', '/usr', '/usr/bin', '/var',
               '/var/lib', '/srv', '/mnt', '/boot', '/dev/mqueue']:
    if makes(folder):
        print(folder)
print('looked at files:', count > 1000)
)";

} // namespace

TEST_CASE("a sandboxed program can write no file outside of its folder") {
  cage in;
  CHECK(in.python(inventory) == "looked at files: True\n");
  CHECK(in.python("open('mine', 'w').write('x'); print(open('mine').read())")
        == "x\n");
}

TEST_CASE("an argument shows a file only where that is allowed") {
  cage in;
  const folder_of_test other;
  const folder_of_test scenario;
  const auto secret = other.add("secret", "secret\n");
  const auto own = scenario.add("own", "own\n");
  const auto link = scenario.path() / "link";
  std::filesystem::create_symlink(secret, link);
  constexpr auto show = R"(
import os, sys
for each in sys.argv[1:]:
    try: print(open(each).read(), end='')
    except OSError as failed: print(type(failed).__name__)
)";
  CHECK(in.python(show, {secret, own, link})
        == "FileNotFoundError\nFileNotFoundError\nFileNotFoundError\n");
  in.by.readable = {scenario.path()};
  CHECK(in.python(show, {secret, own, link})
        == "FileNotFoundError\nown\nFileNotFoundError\n");
  // It may read what its arguments do not name, too, but not change it.
  std::filesystem::permissions(own, std::filesystem::perms{0777});
  constexpr auto change = R"(
import os, sys
print(sorted(os.listdir(os.path.dirname(sys.argv[1]))))
try: open(sys.argv[1], 'a')
except OSError as failed: print(failed.strerror)
)";
  CHECK(in.python(change, {own}) == "['link', 'own']\nRead-only file system\n");
  // A whole hidden folder may be readable: then only what arguments name is
  // there, and /tmp is its own.
  in.by.readable = {"/tmp"};
  CHECK(in.python(show, {secret}) == "secret\n");
  CHECK(in.python("import os; print(sorted(os.listdir('/tmp')) == ['"
                  + in.folder().filename().string() + "'])")
        == "True\n");
}

TEST_CASE("other folders for temporary files are hidden") {
  cage in;
  CHECK(
    in.python("import os; print(os.listdir('/run'), os.listdir('/var/tmp'))")
    == "[] []\n");
}

TEST_CASE("a sandboxed program of root has the rights of a user that owns "
          "nothing") {
  cage in;
  const auto user = std::to_string(host::is_root() ? host::confined_user()
                                                   : geteuid());
  // As the kernel outside has it, not as the program sees itself.
  auto what = in.mine.shell("echo ready; sleep 1000 # " + in.mine.variable());
  what.working_folder = in.folder();
  const auto confined = host::confine(what, in.by);
  REQUIRE(confined);
  std::promise<void> ready;
  host::line_events events;
  events.line = [&](const std::string&) { ready.set_value(); };
  events.ended = [](const host::program_end&) {};
  const auto program = in.all.start(*confined, events);
  ready.get_future().get();
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    std::ifstream command{entry.path() / "cmdline"};
    std::string words;
    std::getline(command, words);
    if (!words.starts_with("/bin/sh")
        || words.find(in.mine.variable()) == std::string::npos)
      continue;
    ++seen;
    std::ifstream status{entry.path() / "status"};
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Uid:") || line.starts_with("Gid:"))
        CHECK((host::is_root() ? line.substr(4) : user)
              == (host::is_root()
                    ? '\t' + user + '\t' + user + '\t' + user + '\t' + user
                    : user));
      if (line.starts_with("Groups:") && host::is_root())
        CHECK_THAT(line, Catch::Matches("Groups:\\s*"));
      if (line.starts_with("Cap"))
        CHECK_THAT(line, Catch::EndsWith("\t0000000000000000"));
      if (line.starts_with("NoNewPrivs") || line.starts_with("Seccomp:"))
        CHECK((line == "NoNewPrivs:\t1" || line == "Seccomp:\t2"));
    }
  }
  CHECK(seen > 0); // the shell, and its copy that is about to be `sleep`
}

TEST_CASE("a sandboxed program works below folders that only their owner may "
          "enter") {
  cage in;
  const folder_of_test closed{0700};
  const auto scenario = closed.path() / "scenario";
  std::filesystem::create_directory(scenario);
  const auto work = scenario / "out" / "work";
  std::filesystem::create_directories(work);
  std::filesystem::permissions(scenario / "out", std::filesystem::perms{0700});
  REQUIRE(host::give_to_confined_user(work));
  std::ofstream{scenario / "helper.py"} << "word = 'helped'\n";
  const auto script = scenario / "agent.py";
  std::ofstream{script}
    << "import helper, os\n"
       "print(helper.word, file=open(os.getcwd() + '/made', 'w'))\n"
       "print(open('made').read(), end='')\n";
  in.by.readable = {scenario};
  auto what = in.mine.run("/usr/bin/env", {"env", "python3", script});
  what.working_folder = work;
  const auto confined = host::confine(what, in.by);
  REQUIRE(confined);
  const auto how = test::run(in.all, *confined);
  INFO(how.end.message);
  CHECK(how.output == "helped\n");
  CHECK(std::filesystem::exists(work / "made"));
}

TEST_CASE("a program of root's home finds its own files there, and no others") {
  cage in;
  const folder_of_test home{0700};
  std::filesystem::create_directories(home.path() / "tools/bin");
  const auto secret = home.add("secret", "secret\n");
  home.add("tools/word", "word\n");
  auto what = in.mine.run(
    home.add(
      "tools/bin/run",
      "#!/bin/sh\ncd \"${0%/*}\" && cat ../word ../../secret; ls ../..\n"),
    {"run"});
  what.working_folder = in.folder();
  const auto confined = host::confine(what, in.by);
  REQUIRE(confined);
  const auto how = test::run(in.all, *confined);
  INFO(how.end.message);
  if (host::is_root())
    CHECK(how.output == "word\ntools\n");
  else // below /tmp, only what may be read is shown
    CHECK(how.output == "tools\n");
}

TEST_CASE("what the user of sandboxed programs lacks rights to is refused with "
          "the command that helps") {
  cage in;
  const folder_of_test theirs;
  const auto program = theirs.add("program", "#!/bin/sh\n");
  auto what = in.mine.shell("true");
  what.working_folder = theirs.path();
  if (!host::is_root()) {
    WARN("not root: programs keep their user, and nothing is refused");
    CHECK(host::confine(what, in.by));
    return;
  }
  const auto user = std::to_string(host::confined_user());
  const auto refused = host::confine(what, in.by);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "sandbox_rights");
  CHECK_THAT(refused.error().message,
             Catch::Contains("chown -R " + user + ':' + user + ' '
                             + theirs.path().string()));
  what.working_folder = in.folder();
  what.path = program;
  CHECK(host::confine(what, in.by));
  std::filesystem::permissions(program, std::filesystem::perms{0700});
  const auto closed = host::confine(what, in.by);
  REQUIRE_FALSE(closed);
  CHECK_THAT(closed.error().message,
             Catch::Contains("chmod o+rx " + program.string()));
}

TEST_CASE("a sandboxed program does not work in the system's own folders") {
  cage in;
  for (const auto* folder :
       {"/", "/proc", "/proc/sys", "/sys/kernel", "/dev"}) {
    auto what = in.mine.shell("true");
    what.working_folder = folder;
    const auto refused = host::confine(what, in.by);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == "sandbox_rights");
  }
}
