#include <catch2/catch.hpp>
#include <convene/protocol/drift/writable_path.hpp>

#include <string>

using namespace convene::protocol;

TEST_CASE("a path into a version control system's folder is refused, however "
          "it is written") {
  for (const std::string git : {".git",       ".GIT",
                                ".gIt",       ".git.",
                                ".git ",      ".git. .",
                                "git~1",      "GIT~1",
                                "git~23",     ".git::$INDEX_ALLOCATION",
                                ".git:",      ".git .:x",
                                ".g\u200cit", "\ufeff.git",
                                ".git\u2060", ".\u00adgit",
                                ".gi\u034ft", ".g\u0131t",
                                ".hg",        ".svn",
                                ".\u017fvn",  ".bzr",
                                ".jj",        "_darcs"}) {
    CAPTURE(git);
    CHECK_FALSE(why_not_written(git).empty());
    CHECK_FALSE(why_not_written(git + "/config").empty());
    CHECK_FALSE(why_not_written("a/" + git + "/hooks/post-checkout").empty());
    CHECK_FALSE(why_not_written("a/b/" + git).empty());
  }
}

TEST_CASE("a path with a name of convene's own, of a device or of none is "
          "refused") {
  for (const std::string name : {".convene-replaced",
                                 ".Convene-Replaced",
                                 ".convene-replaced. ",
                                 "CONVEN~1",
                                 "convene-out",
                                 ".conv\u200bene",
                                 "CON",
                                 "con.txt",
                                 "nul.tar.gz",
                                 "Aux.c",
                                 "COM1",
                                 "lpt0",
                                 "com\u00b9",
                                 "LPT\u00b3.a",
                                 "conin$",
                                 "nul .txt",
                                 "nul:stream",
                                 "clock$",
                                 "...",
                                 " ",
                                 ". .",
                                 ":x",
                                 "\u200b",
                                 "docume~1.txt"}) {
    CAPTURE(name);
    CHECK_FALSE(why_not_written(name).empty());
    CHECK_FALSE(why_not_written("a/" + name + "/b").empty());
  }
  for (const std::string path :
       {"HEAD", "a/HEAD", "a/head", "a/HEAD.", "a\\b", "..\\b", "a/b\nc",
        "a\x1b[2J", "a\x7f", "a\u0085", "a\u009b", "\xff", "", "..", "a/../b",
        "/a", "./a", "a//b"})
    CHECK_FALSE(why_not_written(path).empty());
}

TEST_CASE("a path that only looks a little like those is taken") {
  for (const auto* path : {"a",
                           "a/b",
                           ".gitignore",
                           ".gitattributes",
                           ".gitmodules",
                           ".github/workflows/a.yml",
                           "a.git/b",
                           "git",
                           "git~",
                           "~1",
                           "a~b",
                           "long-name-of~1",
                           "head/a",
                           "src/head.c",
                           "console",
                           "com",
                           "com10",
                           "com1x",
                           "auxiliary.c",
                           "convene",
                           "convene-output/a",
                           "..a",
                           "a..",
                           "a b",
                           "\u00e4/\u65e5\u672c",
                           "\u1f468\u200d\u1f469"})
    CHECK(why_not_written(path).empty());
}
