"""Scripts that are large by their expected output and their directives."""

from texts import times


def block(n):
    return f"for i in 0..<{n} {{ print i }}\n"


def expecting(line, wrong=None):
    def text(n):
        lines = [line.format(i=i) for i in range(n)]
        if wrong:
            lines = wrong(lines)
        return block(n) + "".join(f"#> {one}\n" for one in lines)
    return text


def every(count):
    """Changes each line whose number is divisible by count."""
    return lambda lines: [one + "x" if i % count == 0 else one for i, one in enumerate(lines)]


DIRECTIVE = "#@ {} a reason\nprint {{i}}\n#> {{i}}"

SCRIPTS = [
    ("expected lines", expecting("{i}"), "tests"),
    ("expected lines, one wrong", expecting("{i}", lambda lines: lines[:-1] + ["x"]), "failing"),
    ("expected lines, the first missing", expecting("{i}", lambda lines: lines[1:]), "failing"),
    ("expected lines, every tenth wrong", expecting("{i}", every(10)), "failing"),
    ("expected lines, every second wrong", expecting("{i}", every(2)), "failing"),
    ("expected lines, all wrong", expecting("a{i}"), "failing"),
    ("expected lines, reversed", expecting("{i}", lambda lines: lines[::-1]), "failing"),
    ("expected lines, none printed", lambda n: "let a = 1\n" + times("#> {i}", n), "failing"),
    ("printed lines, none expected", lambda n: block(n), "failing"),
    ("expected lines that are all alike, half missing",
     lambda n: f"for i in 0..<{n} {{ print 1 }}\n" + "#> 1\n" * (n // 2), "failing"),
    ("new blocks", lambda n: times("print {i}", n), "failing"),
    ("wrong blocks", lambda n: times("print {i}\n#> x", n), "failing"),
    ("wrong blocks of two lines", lambda n: times("for a in [1, 2] {{ print a }}\n#> 1\n#> x", n),
     "failing"),
    ("one wrong block after many", lambda n: times("let a{i} = {i}", n) + "print 1\n#> 2\n", "failing"),
    ("expectations of no statement", lambda n: times("#> {i}\n", n), "failing"),
    ("unordered lines", lambda n: "#@ unordered\n" + expecting("{i}", lambda l: l[::-1])(n), "tests"),
    ("unordered lines, one wrong",
     lambda n: "#@ unordered\n" + expecting("{i}", lambda l: ["x"] + l[:0:-1])(n), "failing"),
    ("unordered lines, all wrong", lambda n: "#@ unordered\n" + expecting("a{i}")(n), "failing"),
    ("unordered lines with patterns", lambda n: "#@ unordered\n" + expecting("[int]")(n), "failing"),
    ("unordered lines with patterns, all wrong",
     lambda n: "#@ unordered\n" + expecting("a[int]")(n), "failing"),
    ("patterns", expecting("[int]"), "tests"),
    ("patterns of any text", expecting("[..]"), "tests"),
    ("patterns, all wrong", expecting("a[..]"), "failing"),
    ("regular expressions", expecting("[re:[0-9]+]"), "tests"),
    ("captures", lambda n: times("print {i}\n#> [a{i}=int]", n) + times("print {i}\n#> [a{i}]", n),
     "tests"),
    ("captures in one block", expecting("[a{i}=int]"), "tests"),
    ("any lines, then one", lambda n: block(n) + f"#> …\n#> {n - 1}\n", "tests"),
    ("any lines, often", lambda n: block(n) + times("#> {i}\n#> …", n), "tests"),
    ("any lines, n / 100 in each of 100 blocks, all wrong",
     lambda n: (block(max(n // 100, 1)) + "#> …\n#> x\n" * max(n // 100, 1)) * 100, "failing", 400, 12800),
    ("patterns in a long line", lambda n: f'print "{"ab" * n}"\n#> [..]b[..]b[..]b\n', "tests", 4000),
    ("patterns in a long line, wrong", lambda n: f'print "{"ab" * n}"\n#> [..]b[..]a[..]bc\n',
     "failing", 1000),
    ("a regular expression in a long line", lambda n: f'print "{"ab" * n}"\n#> [re:(a|b)*]\n', "tests",
     4000),
    ("a regular expression in a long line, wrong", lambda n: f'print "{"ab" * n}"\n#> [re:(a*b)*]c\n',
     "failing", 4000),
    ("a long line, one character wrong",
     lambda n: f'print "{"ab" * n}"\n#> {"ab" * (n - 1)}x\n', "failing", 4000),
    ("a long line, all wrong", lambda n: f'print "{"ab" * n}"\n#> {"cd" * n}\n', "failing", 4000),
    ("a long line of words, every second wrong",
     lambda n: 'print "' + "ab " * n + '"\n#> ' + "ab cd " * (n // 2) + "\n", "failing", 4000),
    ("tags", lambda n: "".join(f"#@ tag t{i}\n" for i in range(n)) + "print 1\n#> 1\n", "tests"),
    ("tags in one line", lambda n: "#@ tag " + " ".join(f"t{i}" for i in range(n))
     + "\nprint 1\n#> 1\n", "tests"),
    ("skipped blocks", lambda n: times(DIRECTIVE.format("skip"), n), "tests"),
    ("expected failures", lambda n: times("#@ xfail a reason\nprint {i}\n#> x", n), "tests"),
    ("expected failures that pass", lambda n: times(DIRECTIVE.format("xfail"), n), "failing"),
    ("unordered blocks", lambda n: times("#@ unordered\nprint {i}\n#> {i}", n), "tests"),
    ("wrong directives", lambda n: times("#@ nosuch a reason\nprint {i}\n#> {i}", n), "failing"),
    ("directives of no statement", lambda n: "print 1\n#> 1\n" + "#@ skip a\n" * n, "failing"),
    ("predictions", lambda n: times("print {i}\n#? {i}", n), "tests"),
    ("predictions, all wrong", lambda n: times("print {i}\n#? x", n), "tests"),
    ("a prediction of n callbacks, every tenth wrong",
     lambda n: "entity Book { a: Int = 0 }\ncontroller books = Book sort by a\nfetch books\nperform {\n"
     + times("insert Book(a: {i})", n) + "}\n#? books willChangeContent\n" + times(
         "#? books didChange object insert Book/{j} -> [0, {i}]", n).replace("0] ", "1] ")
     + "#? books didChangeContent\n", "tests"),
    ("statements, of which one fails", lambda n: times("let a{i} = {i}", n) + "print 1\n#> 2\n", "reduce",
     20),
    ("statements, of which ten are needed", lambda n: times("let a{i} = {i}", n)
     + times("let b{i} = {i}", 10) + "print " + " + ".join(f"b{i}" for i in range(10)) + "\n#> 2\n",
     "reduce", 20),
]
