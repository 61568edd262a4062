#!/usr/bin/env python3
"""Checks who includes whom (ARCHITECTURE.md): check_includes.py [ROOT].

- A room includes only itself and the rooms it stands on, directly or through others; never upwards.
- A public header includes, besides visviva and the standard library, Eigen and fmt only.
- A public header never includes a private one (of src/).
- In a source file the own header comes first; every header has #pragma once.
"""
import re
import sys
from pathlib import Path

# What each room stands on. The transitive closure of this table is what it may include.
ROOMS = {
    "core": [],
    "math": ["core"],
    "impact": ["math"],
    "geometry": ["math"],
    "collision": ["geometry"],
    "model": ["geometry"],
    "io": ["model"],
    "report": ["io", "impact"],
    "constraint": ["model"],
    "motion": ["model", "collision", "impact"],
    "dynamics": ["motion", "constraint"],
    "variational": ["motion"],
    "lab": ["motion", "constraint"],
    "sim": ["dynamics", "variational", "lab"],
    "bench": ["impact", "variational", "dynamics"],  # random problems and independent solvers, for the program and the tests
    "app": ["sim", "lab", "io", "report", "bench"],
    "python": ["sim", "io", "report"],
}

# Third-party headers that only some rooms may include, in their source files.
PRIVATE_LIBRARIES = {
    "spdlog/": {"core"},
    "libqhull_r/": {"geometry"},
    "voro++/": {"geometry"},
    "nlohmann/": {"io", "report", "app"},
    "zlib.h": {"report"},
    "tiny_gltf": {"io"},
    "CLI/": {"app"},
}
PUBLIC_LIBRARIES = ("Eigen/", "fmt/")
COMPILER_HEADERS = {"immintrin.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def allowed_rooms(room):
    allowed, todo = {room}, [room]
    while todo:
        for below in ROOMS[todo.pop()]:
            if below not in allowed:
                allowed.add(below)
                todo.append(below)
    return allowed


def includes_of(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def is_standard(name):
    """Comes with every compiler: <vector>, <cmath>. POSIX headers such as <unistd.h> are third-party to a public header."""
    return ("/" not in name and "." not in name) or name in COMPILER_HEADERS


class Checker:
    def __init__(self, root):
        self.root = root
        self.faults = []

    def fault(self, path, line, text):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def included_room(self, path, name):
        """The room that an #include "name" of `path` reaches, or None if it is no file of ours."""
        if name.startswith("visviva/"):
            return name.split("/")[1]
        if (path.parent / name).is_file():
            return self.room_of((path.parent / name).resolve())
        if (self.root / "src" / name).is_file() or name.startswith("bench/"):
            return name.split("/")[0]
        return None

    def room_of(self, path):
        parts = path.relative_to(self.root).parts
        return {"include": lambda: parts[2], "src": lambda: parts[1]}.get(parts[0], lambda: parts[0])()

    def check_room(self, path, room):
        if room in ROOMS:
            return True
        self.fault(path, 1, f"room '{room}' is not in the table of tools/check_includes.py")
        return False

    def check_file(self, path):
        room = self.room_of(path)
        if not self.check_room(path, room):
            return
        public = path.relative_to(self.root).parts[0] == "include"
        allowed = allowed_rooms(room)
        if path.suffix == ".hpp" and "#pragma once" not in path.read_text(encoding="utf-8"):
            self.fault(path, 1, "header without #pragma once")
        for number, bracket, name in includes_of(path):
            reached = self.included_room(path, name)
            if reached is not None:
                if reached not in allowed:
                    self.fault(path, number, f"{room} may not include {reached} ({name})")
                if public and not name.startswith("visviva/"):
                    self.fault(path, number, f"a public header includes a private one ({name})")
                if bracket == "<":
                    self.fault(path, number, f"our own headers are included with quotes ({name})")
            elif public and not is_standard(name) and not name.startswith(PUBLIC_LIBRARIES):
                self.fault(path, number, f"a public header may include Eigen and fmt only, not {name}")
            else:
                for prefix, rooms in PRIVATE_LIBRARIES.items():
                    if name.startswith(prefix) and room not in rooms:
                        self.fault(path, number, f"{room} may not include {name}")
        if path.suffix == ".cpp":
            self.check_own_header_first(path, room)

    def check_own_header_first(self, path, room):
        public = self.root / "include/visviva" / room / f"{path.stem}.hpp"
        own = public if public.is_file() else path.with_suffix(".hpp")
        if not own.is_file():
            return
        number, name = next(((number, name) for number, _, name in includes_of(path)), (1, ""))
        if not any(folder / name == own for folder in (self.root / "include", self.root / "src", self.root, path.parent)):
            self.fault(path, number, f"own header must be included first ({own.name})")

    def run(self):
        for top in ("include/visviva", "src", "bench", "app", "python"):
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in (".hpp", ".cpp", ".inl"):
                    self.check_file(path)
        return self.faults


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    faults = Checker(root).run()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
