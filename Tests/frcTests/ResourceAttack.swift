/// A script that tries to take resources from others: time, memory, output, depth, files or
/// processes.
struct ResourceAttack {
  /// The name of the file, which describes the attack.
  let name: String
  let script: String
  /// A part of the message from `frc test`.
  ///
  /// It is empty if its output or a limit may make it fail, and nil if it passes because the attack
  /// has no effect.
  let message: String?
  /// Files beside it.
  var files: [String: String] = [:]

  private static let books = "entity Book { title: String = \"\", pages: Int = 0 }\n"
  private static let shelves =
    "entity A { name: String = \"\", bs: [B] }\nentity B { k: Int = 0, a: A? inverse bs }\n"
  private static let timedOut = "timed out after 2 s; raise the limit with --timeout"
  /// The line with which an attack that would never end sets itself a shorter limit, and the message.
  private static let soon = "#@ timeout 500ms\n"
  private static let timedOutSoon = "timed out after 500 ms; raise the limit with '#@ timeout'"
  /// The message for one of the limits, or for the time limit on a slow machine.
  private static let tooMuch = "; raise the limit with "

  /// Statements that give a variable a text of 2 to the power of `count` characters.
  private static func text(_ name: String, _ character: String, _ count: Int) -> String {
    "let \(name)0 = \"\(character)\"\n"
      + (1...count).map { "let \(name)\($0) = \(name)\($0 - 1) + \(name)\($0 - 1)\n" }.joined()
      + "let \(name) = \(name)\(count)\n"
  }

  private static func subqueries(_ depth: Int) -> String {
    depth == 0
      ? "$v1.k == -1"
      : "SUBQUERY(bs, $v\(depth), \(subqueries(depth - 1))).@count > 0"
  }

  private static let slow = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

  static let all: [ResourceAttack] = time + predicates + memory + output + depth + others

  private static let time: [ResourceAttack] = [
    .init(name: "loop", script: "repeat 1000000000 { let x = 1 }\n", message: timedOut),
    // The script exceeds the time limit or the output limit, whichever is first.
    .init(
      name: "loop-of-errors", script: soon + "repeat 1000000000 { try print 1 / 0 }\n",
      message: tooMuch),
    .init(
      name: "own-limit", script: "#@ timeout 1000000min\nrepeat 1000000000 { let x = 1 }\n",
      message: timedOut),
    .init(
      name: "endless-callbacks",
      script: books + """
        controller books = Book sort by title
        delegate books { didChangeContent { repeat 1000000 { insert Book(title: "x"); fetch books } } }
        fetch books
        insert Book(title: "a")

        """,
      message: ""),
    .init(
      name: "sort-of-long-texts",
      script: soon + books + text("t", "é", 18) + "insert 60 Book(title: t + \"\\(i)\")\n"
        + "repeat 1000 { fetch Book sort by title using localized }\n",
      message: tooMuch),
  ]

  private static let predicates: [ResourceAttack] = [
    .init(
      name: "nested-subqueries",
      script: soon + shelves + "insert A(name: \"a\")\ninsert 50 B(k: i, a: A/1)\ncount A where "
        + subqueries(7) + "\n",
      message: timedOutSoon),
    .init(
      name: "patterns-of-rows",
      script: soon + books + "insert 2000 Book(title: \"\(slow)\")\n"
        + "repeat 1000 { try count Book where title MATCHES \"(a+)+b\" }\n",
      message: timedOutSoon),
    .init(
      name: "patterns-in-sql",
      script: soon + books
        + "store sqlite \"a.sqlite\"\ninsert 2000 Book(title: \"\(slow)\")\nsave\n"
        + "repeat 1000 { try count Book where title MATCHES \"(a+)+b\" }\n",
      message: timedOutSoon),
    .init(
      name: "patterns-of-rules",
      script:
        soon
        + "entity V { \((0..<99).map { "a\($0): String? matching \"(a+)+b\"" }.joined(separator: ", ")) }\n"
        + "let t = \"\(slow)\"\n"
        + "insert V(\((0..<99).map { "a\($0): t" }.joined(separator: ", ")))\nrepeat 1000 { try save }\n",
      message: timedOutSoon),
    .init(
      name: "pattern-too-large",
      script: books + "insert Book(title: \"a\")\n"
        + "count Book where title MATCHES \"(((((a{1,99}){1,99}){1,99}){1,99}){1,99})b\"\n",
      message: ""),
    .init(
      name: "search-in-long-texts",
      script: soon + books + text("t", "a", 22) + text("p", "a", 19) + "let q = p + \"b\"\n"
        + "insert Book(title: t)\nrepeat 100 { count Book where title contains[c] \"\\(q)\" }\n",
      message: tooMuch),
    .init(
      name: "unordered-patterns",
      script: "#@ unordered\nfor i in 1...3000 { print \"aaaa\\(i)\" }\n"
        + (1...3000).map { "#> [..]a[..]a[..]b\($0)\n" }.joined(),
      message: ""),
  ]

  private static let memory: [ResourceAttack] = [
    .init(
      name: "objects",
      script: books + "repeat 100 { insert 10000000 Book(title: \"x\") }\n", message: tooMuch),
    .init(
      name: "batch-of-objects",
      script: books + "batch insert 10000000 Book(title: \"x\")\n", message: tooMuch),
    .init(
      name: "assigned-texts",
      script: books + text("t", "x", 20) + "insert Book(title: \"\")\n"
        + "for i in 1...1000000 { Book/1.title = t + \"\\(i)\" }\n",
      message: tooMuch),
    .init(
      name: "variables",
      script: text("t", "x", 23) + (0..<20).map { "let v\($0) = t + \"\($0)\"\n" }.joined(),
      message: tooMuch),
    .init(
      name: "text-without-end", script: text("t", "x", 30),
      message: "the text would be longer than 16777216 bytes"),
    .init(
      name: "imported-rows",
      script: books + "for i in 1...1000 { import \"rows.csv\" into Book }\n", message: tooMuch,
      files: ["rows.csv": "title\n" + String(repeating: "x\n", count: 20_000)]),
  ]

  private static let output: [ResourceAttack] = [
    .init(
      name: "prints", script: "repeat 1000000000 { print \"0123456789\" }\n", message: tooMuch),
    .init(
      name: "callbacks",
      script: books + "controller books = Book sort by title\nfetch books\n"
        + "repeat 1000000 { insert 100 Book(title: \"x\") }\n",
      message: tooMuch),
    .init(
      name: "one-long-line", script: text("t", "x", 22) + "print t\n", message: tooMuch),
    .init(
      name: "long-lines-that-differ",
      script: text("t", "a b ", 17) + "print t\n#> " + String(repeating: "b a ", count: 100_000)
        + "\n",
      message: ""),
    .init(
      name: "many-lines-that-differ",
      script: "for i in 1...64000 { print i }\n"
        + (1...64000).map { "#> \($0 * 7)\n" }.joined(),
      message: ""),
  ]

  private static let depth: [ResourceAttack] = [
    .init(
      name: "nested-blocks",
      script: String(repeating: "repeat 1 { ", count: 3_000) + "print 1"
        + String(repeating: " }", count: 3_000) + "\n",
      message: "nested"),
    .init(
      name: "nested-parentheses",
      script: "print " + String(repeating: "(", count: 20_000) + "1"
        + String(repeating: ")", count: 20_000) + "\n",
      message: "nested"),
    .init(
      name: "includes-itself", script: "include \"includes-itself.frc\"\n",
      message: "includes itself"),
    .init(
      name: "nested-callbacks",
      script: books + """
        controller books = Book sort by title
        delegate books { willChangeContent { insert Book(title: "x"); fetch books } }
        fetch books
        insert Book(title: "a")

        """,
      message: ""),
  ]

  private static let others: [ResourceAttack] = [
    .init(
      name: "many-stores",
      script: (0..<200).map { "store sqlite \"\($0).sqlite\"\n" }.joined(), message: nil),
    .init(
      name: "many-contexts",
      script: books + (0..<300).map { "context c\($0)\n" }.joined(), message: nil),
    .init(
      name: "writes-outside",
      script: books + "store sqlite \"../../outside.sqlite\"\ninsert Book()\nsave\n", message: nil),
  ]
}
