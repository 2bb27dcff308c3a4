"""A process like the one that runs bundled programs, with hostile programs."""

import sys

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

from explorer.programs.worker import SOURCE, main

PROGRAMS = {
    "loop": "def f():\n    while True:\n        pass",
    "one line": "def f():\n    return [0 for _ in iter(int, 1)]",
    "stubborn": (
        "def f():\n"
        "    while True:\n"
        "        try:\n"
        "            while True: pass\n"
        "        except Exception:\n"
        "            pass"
    ),
    "without a line": "def f():\n    return sum(range(10**15))",
    "deep": "def f():\n    return f()",
    "memory": "def f():\n    return bytearray(1 << 40)",
    "more and more": "def f():\n    x = [0]\n    while True:\n        x += x",
    "output": "def f():\n    return 'x' * 2_000_000",
    "digits": "def f():\n    return 10 ** 20_000",
    "ends": "import os\ndef f():\n    os._exit(0)",
    "crashes": "import os, signal\ndef f():\n    os.kill(os.getpid(), signal.SIGSEGV)",
    "prints": 'def f():\n    print(["returned", "no"])\n    return 1',
    "reads": "import sys\ndef f():\n    return sys.stdin.read()",
    "writes": "import os\ndef f():\n    return os.write(os.memfd_create('x'), b'x')",
    "raises": "def f():\n    raise KeyError('secret')",
    "remembers": "seen = []\ndef f(x, y=[]):\n    y.append(1)\n    seen.append(x)\n"
    "    x.append(9)\n    return x, y, seen",
    "fine": "def f(x):\n    return x",
    "this many": "def f(n):\n    return 'x' * n",
    "sets": "def f(x):\n    return list(x)",
}

if __name__ == "__main__":
    main({name: (compile(source, SOURCE, "exec"), "f") for name, source in PROGRAMS.items()})
