"""Scripts that are large as texts: lines, words, nesting, errors."""


def times(text, count):
    return "\n".join(text.format(i=i, j=i + 1) for i in range(count)) + "\n"


def printed(count):
    return times("print {i}\n#> {i}", count)


def nested(depth, before, inside, after):
    return before * depth + inside + after * depth


BOOK = "entity Book { title: String, pages: Int = 0 }\n"

SCRIPTS = [
    ("statements", printed, "every"),
    ("statements in one line", lambda n: "; ".join("print 1" for _ in range(n)) + "\n" + "#> 1\n" * n,
     "every"),
    ("blank lines", lambda n: "print 1\n#> 1\n" + "\n" * n, "every", 4000),
    ("comments", lambda n: "# A comment.\n" * n + "print 1\n#> 1\n", "every", 4000),
    ("comments after statements", lambda n: times("let a{i} = 1 # A comment.", n), "every"),
    ("a long comment", lambda n: f"# {'x' * n}\nprint 1\n#> 1\n", "every", 1 << 16, 1 << 26),
    ("a long string", lambda n: f'let a = "{"x" * n}"\nprint 1\n#> 1\n', "every", 1 << 16, 1 << 26),
    ("a long string that is printed", lambda n: f'print "{"x" * n}"\n#> {"x" * n}\n', "every",
     1 << 16, 1 << 24),
    ("a long string of combining marks", lambda n: f'print "e{chr(0x301) * n}"\n', "every", 1 << 14,
     1 << 23),
    ("a long string of emoji", lambda n: 'print "' + "👩‍👩‍👧" * n + '"\n', "every", 1 << 12, 1 << 21),
    ("escapes in a string", lambda n: 'let a = "' + "\\u{1F600}\\n" * n + '"\n', "every", 1 << 12,
     1 << 22),
    ("interpolations in a string", lambda n: 'print "' + "\\(1)" * n + '"\n', "every"),
    ("a list literal", lambda n: "let a = [" + ", ".join(str(i) for i in range(n)) + "]\n", "every"),
    ("a list literal over lines",
     lambda n: "let a = [\n" + ",\n".join(str(i) for i in range(n)) + "\n]\n", "every"),
    ("a long name", lambda n: f"let {'a' * n} = 1\nprint {'a' * n}\n#> 1\n", "every", 1 << 14, 1 << 24),
    ("a long name that is unknown", lambda n: f"let {'a' * n} = 1\nprint {'a' * n}b\n", "errors",
     256, 1 << 22),
    ("names", lambda n: times("let a{i} = {i}", n) + times("print a{i}\n#> {i}", n), "every"),
    ("names, each used in the next", lambda n: "let a0 = 1\n" + times("let a{j} = a{i}", n), "every"),
    ("unknown names", lambda n: times("print a{i}", n), "errors"),
    ("unknown names near known ones", lambda n: times("let name{i} = 1", n) + times("print nane{i}", n),
     "errors"),
    ("unknown entities", lambda n: times("entity Book{i} {{ a: Int }}", n) + times("objects Bok{i}", n),
     "errors"),
    ("unknown properties",
     lambda n: "entity Book {\n" + times("a{i}: Int?", n) + "}\ninsert Book()\n"
     + times("print Book/1.b{i}", n), "errors"),
    ("unknown words", lambda n: times("prnit {i}", n), "errors"),
    ("open brackets", lambda n: "print (1\n" * n, "errors"),
    ("closing brackets", lambda n: ")\n" * n, "errors"),
    ("open braces", lambda n: "if true {\n" * n, "errors"),
    ("open strings", lambda n: 'print "a\n' * n, "errors"),
    ("quotes", lambda n: '"' * n + "\n", "errors", 4000),
    ("backslashes", lambda n: "\\" * n + "\n", "errors", 4000),
    ("signs", lambda n: "print " + "- + * " * n + "\n", "errors", 4000),
    ("control characters", lambda n: "\x01" * n + "\n", "errors", 4000),
    ("unknown escapes", lambda n: 'let a = "' + "\\q" * n + '"\n', "every", 1 << 12, 1 << 20),
    ("statements that fail", lambda n: times("try print 1 / 0", n), "running"),
    ("brackets, nested n / 2000 deep 2000 times",
     lambda n: (f"print {nested(max(n // 2000, 1), '(', '1', ')')}\n") * 2000, "every", 20000, 320000),
    ("blocks, nested n / 1000 deep 1000 times",
     lambda n: nested(max(n // 1000, 1), "if true { ", "print 1", " }").join(["", "\n"]) * 1000,
     "every", 10000, 160000),
    ("blocks over lines, nested n / 1000 deep 1000 times",
     lambda n: nested(max(n // 1000, 1), "if true {\n", "print 1\n", "}\n") * 1000,
     "every", 10000, 160000),
    ("else branches",
     lambda n: "if false { } " + "".join(f"else if {i} == 1000 {{ }} " for i in range(min(n, 190)))
     + "\n", "every"),
    ("operators, n / 1000 in each of 1000 expressions",
     lambda n: ("print 1" + " + 1" * max(n // 1000, 1) + "\n") * 1000, "every", 10000, 640000),
    ("conditions, n / 200 in each of 200 predicates",
     lambda n: BOOK + ("count Book where pages == 1" + " OR pages == 2" * max(n // 200, 1) + "\n") * 200,
     "every", 2000, 160000),
    ("values of IN", lambda n: BOOK + "insert Book(title: 'a')\ncount Book where pages IN {"
     + ", ".join(str(i) for i in range(n)) + "}\n", "every"),
    ("a block with many statements",
     lambda n: "perform {\n" + times("print {i}", n) + "}\n" + times("#> {i}", n), "every"),
    ("inclusions", lambda n: times("if false {{ include 'a.frc' }}", n), "every"),
    ("dates", lambda n: times("print @2026-01-01T10:00:00Z", n), "every"),
    ("line ends of Windows", lambda n: printed(n).replace("\n", "\r\n"), "every"),
]
