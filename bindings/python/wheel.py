#!/usr/bin/env python3
"""Makes a wheel of the package, with libconvene.so and all that it needs.

usage: bindings/python/wheel.py LIBRARY FOLDER

LIBRARY is the target convene_c_bundled. Prints the path of the wheel. Needs no
network, no setuptools and no patchelf: the libraries are found beside LIBRARY by
its DT_RPATH, which holds for the libraries that they need, too. What every
system with this glibc has is left out; the wheel's tag names the glibc.
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# Of a manylinux platform (PEP 600): every distribution with its glibc has these.
ON_EVERY_SYSTEM = re.compile(
    r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux-[\w-]+)\.so\.\d+")
TIME = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is made


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed_by(library):
    """Names and paths of the libraries to bring along."""
    for line in output_of("ldd", library).splitlines():
        found = re.match(r"\s*(\S+) => (.*) \(0x", line)
        if found and not ON_EVERY_SYSTEM.fullmatch(found[1]):
            yield found[1], pathlib.Path(found[2]).resolve()


def check_tags(library, is_first):
    """Whether the loader finds what the library needs beside it."""
    tags = output_of("readelf", "-d", library)
    rpath = re.search(r"\((RPATH|RUNPATH)\).*\[(.*)\]", tags)
    if is_first and (rpath is None or rpath.groups() != ("RPATH", "$ORIGIN")):
        sys.exit(f"{library} has no DT_RPATH of $ORIGIN: build convene_c_bundled")
    if not is_first and rpath is not None:
        sys.exit(f"{library} has a path of its own, which hides the first library's")


def stage_libraries(first, into):
    """Copies the libraries, stripped, and returns where they came from."""
    sources = {"libconvene.so.0": first.resolve(), **dict(needed_by(first))}
    into.mkdir()
    for name, source in sources.items():
        check_tags(source, source == first.resolve())
        shutil.copyfile(source, into / name)
        output_of("strip", "--strip-unneeded", into / name)
    return sources


def notices(sources):
    """The copyright notices of Debian's packages that are in the wheel."""
    for source in [*sources.values(), "libcrypto.a"]:
        found = subprocess.run(["dpkg-query", "-S", f"*/{os.path.basename(source)}"],
                               capture_output=True, text=True, check=False).stdout
        package = found.partition(":")[0]
        notice = pathlib.Path("/usr/share/doc") / package / "copyright"
        if package and notice.is_file():
            yield f"{package}.txt", notice.read_bytes()


def metadata(project):
    return "\n".join(["Metadata-Version: 2.1", f"Name: {project['name']}",
                      f"Version: {project['version']}", f"Summary: {project['description']}",
                      f"Requires-Python: {project['requires-python']}", ""]).encode()


def entry_points(project):
    lines = []
    for group, members in project.get("entry-points", {}).items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in members.items())]
    return "\n".join([*lines, ""]).encode()


def write(path, files):
    """The wheel of these files, and a RECORD of them."""
    record = next(name for name in files if name.endswith("/METADATA")).replace(
        "METADATA", "RECORD")
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in sorted(files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            lines.append(f"{name},sha256={digest.decode()},{len(data)}")
            add(wheel, name, data)
        add(wheel, record, "\n".join([*lines, f"{record},,", ""]).encode())


def add(wheel, name, data):
    entry = zipfile.ZipInfo(name, TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    wheel.writestr(entry, data)


def main(library, folder):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    name = f"{project['name']}-{project['version']}"
    libc, version = platform.libc_ver()
    if libc != "glibc":
        sys.exit("the wheel's tag names a glibc, and this system has another library")
    tag = f"py3-none-manylinux_{version.replace('.', '_')}_{platform.machine()}"
    files = {each.relative_to(HERE).as_posix(): each.read_bytes()
             for each in (HERE / "convene").glob("*") if each.suffix in (".py", ".typed")}
    with tempfile.TemporaryDirectory() as scratch:
        staged = pathlib.Path(scratch) / "libs"
        sources = stage_libraries(pathlib.Path(library), staged)
        for each in staged.iterdir():
            files[f"convene/libs/{each.name}"] = each.read_bytes()
    info = f"{name}.dist-info"
    files[f"{info}/METADATA"] = metadata(project)
    files[f"{info}/entry_points.txt"] = entry_points(project)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: convene\n"
                              f"Root-Is-Purelib: false\nTag: {tag}\n").encode()
    files[f"{info}/LICENSE"] = (HERE.parent.parent / "LICENSE").read_bytes()
    for notice, text in notices(sources):
        files[f"{info}/licenses/{notice}"] = text
    path = pathlib.Path(folder) / f"{name}-{tag}.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, files)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
