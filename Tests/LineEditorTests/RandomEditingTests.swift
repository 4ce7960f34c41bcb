import Basics
import Glibc
import PseudoTerminal
import RandomLaws
import Testing

/// The expected text and cursor of the editor, and their expected display.
private struct Model {
  private(set) var before: [Character] = []
  private(set) var after: [Character] = []

  var text: String { String(before + after) }

  /// The keys that were pressed.
  private(set) var keys: [String] = []

  mutating func press(_ choice: Int, _ character: Character) -> String {
    let key: String
    switch choice {
    case 0:
      key = Key.left
      if let last = before.popLast() { after.insert(last, at: 0) }
    case 1:
      key = Key.right
      if !after.isEmpty { before.append(after.removeFirst()) }
    case 2:
      key = Key.backspace
      _ = before.popLast()
    case 3:
      key = Key.delete
      if !after.isEmpty { after.removeFirst() }
    case 4:
      key = Key.home
      while let last = before.last, last != "\n" { after.insert(before.removeLast(), at: 0) }
    case 5:
      key = Key.end
      while let first = after.first, first != "\n" { before.append(after.removeFirst()) }
    case 6:
      key = Key.alt(Key.enter)
      before.append("\n")
    default:
      key = String(character)
      before.append(character)
    }
    keys.append(key)
    return key
  }

  func screen(columns: Int) -> (rows: [String], cursor: (row: Int, column: Int)) {
    var screen = Layout(columns: columns)
    for character in "frc> " + String(before) { screen.put(character) }
    let cursor = screen.cursor
    for character in after { screen.put(character) }
    return (screen.rows, cursor)
  }
}

/// Lines wrapped at the edge, by code that is independent of the editor's.
private struct Layout {
  let columns: Int
  private var cells: [[String]] = [[]]

  init(columns: Int) { self.columns = columns }

  var cursor: (row: Int, column: Int) { (cells.count - 1, cells[cells.count - 1].count) }

  var rows: [String] {
    var rows = cells.map { row in
      var row = row
      while row.last == " " { row.removeLast() }
      return row.joined()
    }
    while rows.last == "" { rows.removeLast() }
    return rows
  }

  mutating func put(_ character: Character) {
    let isWide = character.unicodeScalars.contains { $0.value >= 0x1100 && $0.value < 0x20000 }
    let width = isWide ? 2 : 1
    if character == "\n" || cursor.column + width > columns { cells.append([]) }
    guard character != "\n" else {
      for character in "...> " { put(character) }
      return
    }
    cells[cells.count - 1] += isWide ? [String(character), ""] : [String(character)]
    if cursor.column == columns { cells.append([]) }
  }
}

@Suite struct RandomEditingTests {
  @Test("after any keys the screen shows the text, wrapped, and the cursor in its place")
  func screenShowsText() throws {
    let seed = drawnSeed()
    var generator = SeededGenerator(seed: seed)
    let characters = Array("abc日本語한é") + ["か\u{3099}", "e\u{301}"]

    // The last screen has fewer rows than the text.
    for (columns, height) in [(11, 30), (16, 30), (20, 30), (13, 4)] {
      let terminal = try probe(columns: columns, rows: height)
      var model = Model()
      for _ in 0..<(LawForm.isLong ? 2000 : 200) {
        let choices = model.text.count > 60 ? 2...3 : 0...22
        let choice = Int.random(in: choices, using: &generator)
        let key = model.press(choice, characters.randomElement(using: &generator) ?? "a")
        try terminal.type(key)
        let (rows, cursor) = model.screen(columns: columns)
        do {
          let expected = "\(rows.joined(separator: "\n"))\ncursor \(cursor)"
          try terminal.wait(for: expected, seconds: 10) {
            $0.screen.shows(rows, cursor: cursor)
          }
        } catch {
          Issue.record("seed \(seed), \(columns) columns, keys \(model.keys.suffix(12)): \(error)")
          return
        }
      }
    }
  }
}

extension Screen {
  /// Whether these rows are visible, or as many of them around the cursor as fit.
  fileprivate func shows(_ rows: [String], cursor: (row: Int, column: Int)) -> Bool {
    let top = cursor.row - self.cursor.row
    guard top >= 0, cursor.column == self.cursor.column, top == 0 || rows.count >= rowCount
    else { return false }
    var seen = Array(rows.dropFirst(top).prefix(rowCount))
    while seen.last == "" { seen.removeLast() }
    return seen == self.rows
  }
}

/// Returns the seed in FRC_SEED, to reproduce a failure, or else one that is always the same.
///
/// In the long form it is random.
func drawnSeed() -> UInt64 {
  getenv("FRC_SEED").flatMap { UInt64(String(cString: $0)) }
    ?? (LawForm.isLong ? .random(in: 0...UInt64.max) : 1)
}
