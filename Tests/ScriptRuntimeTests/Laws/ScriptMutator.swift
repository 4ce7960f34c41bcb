import Basics
import Foundation

/// Creates unusual scripts from ordinary ones.
struct ScriptMutator {
  private var generator: SeededGenerator
  private let scripts: [[Substring]]

  init(seed: UInt64, scripts: [[Substring]]) {
    generator = SeededGenerator(seed: seed)
    self.scripts = scripts
  }

  /// Returns a script with one to six mutations.
  mutating func script() -> String {
    var lines = scripts[index(scripts.count)]
    for _ in 0...index(6) { mutate(&lines) }
    return lines.joined(separator: "\n")
  }

  private mutating func mutate(_ lines: inout [Substring]) {
    guard !lines.isEmpty else { return }
    let at = index(lines.count)
    switch index(9) {
    case 0: lines.remove(at: at)
    case 1: lines.insert(lines[index(lines.count)], at: at)
    case 2: lines.swapAt(at, index(lines.count))
    case 3:
      let other = scripts[index(scripts.count)]
      if !other.isEmpty { lines.insert(other[index(other.count)], at: at) }
    case 4: lines.insert(Self.strayLines[index(Self.strayLines.count)], at: at)
    default: lines[at] = mutated(lines[at])
    }
  }

  /// Changes one word or sign of a line.
  private mutating func mutated(_ line: Substring) -> Substring {
    var tokens = Self.tokens(of: line)
    guard !tokens.isEmpty else { return line }
    let at = index(tokens.count)
    switch index(6) {
    case 0: tokens.remove(at: at)
    case 1: tokens.insert(tokens[index(tokens.count)], at: at)
    case 2: tokens.swapAt(at, index(tokens.count))
    case 3:
      let script = scripts[index(scripts.count)]
      let others = script.isEmpty ? [] : Self.tokens(of: script[index(script.count)])
      if !others.isEmpty { tokens[at] = others[index(others.count)] }
    default: tokens[at] = Self.oddities[index(Self.oddities.count)]
    }
    return Substring(tokens.joined())
  }

  private mutating func index(_ count: Int) -> Int {
    Int.random(in: 0..<count, using: &generator)
  }

  /// Cuts a line into words, numbers, blanks and single signs.
  private static func tokens(of line: Substring) -> [Substring] {
    var tokens: [Substring] = []
    var rest = line
    while let first = rest.first {
      let isWord = first.isLetter || first.isNumber
      let end =
        isWord
        ? rest.firstIndex { !$0.isLetter && !$0.isNumber } ?? rest.endIndex
        : rest.index(after: rest.startIndex)
      tokens.append(rest[..<end])
      rest = rest[end...]
    }
    return tokens
  }

  /// Lines that change the meaning of common names.
  private static let strayLines: [Substring] = [
    "controller items = Item sort by name desc", "controller books = Book sort by title",
    "controller rows = Row sort by name section by name", "request books = Book where title != nil",
    "delegate items { didChangeObject { controller items = Item sort by name } }",
    "delegate items { willChangeContent { insert Item(name: \"x\") } }",
    "delegate books { didChangeContent { fetch books; reset } }",
    "delegate rows { didChangeSection { rollback } }", "delegate items none",
    "delegate items snapshot", "delegate books diff", "delegate rows counts", "delete Item",
    "delete Book", "delete Row", "update Item { name = nil }", "insert 3 Item(name: string(i))",
    "insert 3 Book(title: \"t\\(i)\")", "for i in items.fetchedObjects { delete i }",
    "perform { fetch items; rollback; fetch items }", "reset", "rollback", "save", "process",
    "let b = books[0, 0]", "let items = 3", "set locale sv", "delete caches", "fetch items",
    "fetch books", "fetch rows", "show items", "caches", "objects Item", "print items.sections",
  ]

  private static let oddities: [Substring] = [
    "0", "-1", "1", "2", "64", "9223372036854775807", "-9223372036854775808", "1e308", "-0.0",
    "1_000_000_000", "nil", "true", "NO", "\"\"", "\"é\u{301}日本\"", "\"\\u{0}\"", "'", "\"", "\\",
    "[]", "[1, \"a\"]", "1...9", "0..<0", "@2026-11-21", "@0001-01-01", "@9999-12-31T23:59:59Z",
    "uuid(\"x\")", "now()", "insert ", "delete ", "fetch ", "perform { ", "for x in ", "repeat 3 {",
    "if true {", "}", "{", "(", ")", "[", "]", ";", "\n", " + ", " / ", " % ", " == ", " < ",
    " = ", " += ", " where ", " sort by ", " section by ", " limit ", " cache ", " AND ", "NOT ",
    "$", "$x", ".", ".count", ".title", "[0]", "[0, 0]", "#", " # ", "#>", "Book/1", "Item/1",
    "Row/2",
    "count(Book)", "string(1)", "save", "rollback", "reset", "process", "try ", "expect ", "print ",
    "let x = ", "SELF", "ANY ", "TRUEPREDICATE", "IN {1, nil}", "MATCHES '('", "LIKE '*'",
  ]
}
