/// What a person would see on a terminal of a given size.
///
/// It supports the part of a VT100 that line editors use: cursor movement, erasing, inserting and
/// deleting cells, scrolling, wide characters, and the delayed wrap at the last column.
package struct Screen {
  /// The number of cells in a row.
  package private(set) var columns: Int

  /// The number of rows.
  package private(set) var rowCount: Int

  /// The position of the cursor, counted from 0.
  package private(set) var cursor = (row: 0, column: 0)

  /// The rows that have scrolled off at the top, oldest first.
  package private(set) var scrolledOff: [String] = []

  /// How often the bell rang.
  package private(set) var bellCount = 0

  /// The private modes that are set, such as 2004 (marked pastes).
  package private(set) var privateModes: Set<Int> = []

  /// A cell contains a character with its marks.
  ///
  /// The second cell of a wide character is empty.
  private var cells: [[String]]
  /// Whether the text of each row goes on in the next one.
  private var flows: [Bool]
  /// Whether the last column was written, so that the next character wraps.
  private var wrapsNext = false
  private var partial: [UInt8] = []
  private var sequence: [UInt8]?

  /// Creates an empty screen.
  package init(columns: Int, rows: Int) {
    self.columns = columns
    rowCount = rows
    cells = Array(repeating: Self.blankRow(columns), count: rows)
    flows = Array(repeating: false, count: rows)
  }

  /// The rows up to the last one with text, without blanks at their ends.
  package var rows: [String] {
    var rows = cells.map(Self.text(of:))
    while rows.last == "" { rows.removeLast() }
    return rows
  }

  /// Everything that was ever displayed, including rows that have scrolled off.
  package var text: String { (scrolledOff + rows).joined(separator: "\n") }

  /// The row of the cursor.
  package var cursorRow: String { Self.text(of: cells[cursor.row]) }

  /// Changes the size.
  ///
  /// Rows are cut or filled, and not wrapped again.
  package mutating func resize(columns: Int, rows: Int) {
    cells = cells.map { Array(($0 + Self.blankRow(columns)).prefix(columns)) }
    flows = Array(repeating: false, count: rows)
    while cells.count < rows { cells.append(Self.blankRow(columns)) }
    while cells.count > rows { scrolledOff.append(Self.text(of: cells.removeFirst())) }
    cursor.row = min(cursor.row, rows - 1)
    cursor.column = min(cursor.column, columns - 1)
    self.columns = columns
    rowCount = rows
  }

  /// Changes the size, and wraps the rows again as many terminals do.
  package mutating func reflow(columns: Int, rows: Int) {
    var place = (row: 0, column: 0)
    var wrapped: [(cells: [String], flows: Bool)] = []
    var line: [String] = []
    for (index, row) in cells.enumerated() {
      let start = line.count
      line += row
      if index == cursor.row {
        let offset = start + cursor.column + (wrapsNext ? 1 : 0)
        place = (wrapped.count + offset / columns, offset % columns)
        // A cursor past the end of the text keeps its place.
        while line.count < offset { line.append(" ") }
      }
      if flows[index] { continue }
      while line.last == " " { line.removeLast() }
      repeat {
        let part = Array(line.prefix(columns))
        line.removeFirst(part.count)
        wrapped.append((part + Self.blankRow(columns - part.count), !line.isEmpty))
      } while !line.isEmpty
    }
    while wrapped.count - 1 > place.row, wrapped.last?.cells.allSatisfy({ $0 == " " }) == true {
      wrapped.removeLast()
    }
    while wrapped.count <= place.row { wrapped.append((Self.blankRow(columns), false)) }
    while wrapped.count > rows {
      scrolledOff.append(Self.text(of: wrapped.removeFirst().cells))
      place.row -= 1
    }
    while wrapped.count < rows { wrapped.append((Self.blankRow(columns), false)) }
    cells = wrapped.map(\.cells)
    flows = wrapped.map(\.flows)
    cursor = (max(0, place.row), place.column)
    wrapsNext = false
    self.columns = columns
    rowCount = rows
  }

  /// Processes the program's output.
  ///
  /// A character or a control sequence may be split anywhere.
  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if sequence != nil {
        continueSequence(byte)
      } else if byte < 0x80 {
        partial.removeAll()
        control(byte)
      } else {
        partial.append(byte)
        if let text = String(validating: partial, as: UTF8.self) {
          partial.removeAll()
          for scalar in text.unicodeScalars { put(scalar) }
        }
      }
    }
  }

  private static func blankRow(_ columns: Int) -> [String] {
    Array(repeating: " ", count: columns)
  }

  private static func text(of row: [String]) -> String {
    var cells = row[...]
    while cells.last == " " { cells.removeLast() }
    return cells.joined()
  }
}

// MARK: - Characters

extension Screen {
  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x07: bellCount += 1
    case 0x08:
      cursor.column = max(0, cursor.column - 1)
      wrapsNext = false
    case 0x09: move(toColumn: (cursor.column / 8 + 1) * 8)
    case 0x0A: lineFeed()
    case 0x0D: move(toColumn: 0)
    case 0x1B: sequence = []
    case 0x20..<0x7F: put(Unicode.Scalar(byte))
    default: break
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = Self.width(of: scalar)
    if width == 0 {
      addMark(scalar)
      return
    }
    if wrapsNext || cursor.column + width > columns {
      flows[cursor.row] = true
      move(toColumn: 0)
      lineFeed()
    }
    clearHalves(cursor.column, width)
    cells[cursor.row][cursor.column] = String(scalar)
    // In a window with one column, a wide character has no second half.
    if width == 2, cursor.column + 1 < columns { cells[cursor.row][cursor.column + 1] = "" }
    if cursor.column + width >= columns {
      cursor.column = columns - 1
      wrapsNext = true
    } else {
      cursor.column += width
    }
  }

  private mutating func addMark(_ scalar: Unicode.Scalar) {
    var column = wrapsNext ? cursor.column : cursor.column - 1
    guard column >= 0 else { return }
    if cells[cursor.row][column].isEmpty, column > 0 { column -= 1 }
    cells[cursor.row][column].unicodeScalars.append(scalar)
  }

  /// Removes a wide character if one half is overwritten.
  private mutating func clearHalves(_ column: Int, _ width: Int) {
    if column > 0, cells[cursor.row][column].isEmpty { cells[cursor.row][column - 1] = " " }
    let end = column + width
    if end < columns, cells[cursor.row][end].isEmpty { cells[cursor.row][end] = " " }
  }

  private mutating func lineFeed() {
    wrapsNext = false
    if cursor.row < rowCount - 1 {
      cursor.row += 1
      return
    }
    scrolledOff.append(Self.text(of: cells.removeFirst()))
    cells.append(Self.blankRow(columns))
    flows.removeFirst()
    flows.append(false)
  }

  private mutating func move(toColumn column: Int) {
    cursor.column = max(0, min(columns - 1, column))
    wrapsNext = false
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x0300...0x036F, 0x200B...0x200F, 0x20D0...0x20FF, 0x3099...0x309A, 0xFE00...0xFE0F: 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}

// MARK: - Control sequences

extension Screen {
  private mutating func continueSequence(_ byte: UInt8) {
    guard var bytes = sequence else { return }
    bytes.append(byte)
    sequence = bytes
    guard bytes.first == UInt8(ascii: "[") else {
      // A sequence has two bytes, or three if the first one selects a character set.
      if bytes.count == 2 || !(0x20..<0x30).contains(bytes[0]) { sequence = nil }
      return
    }
    guard bytes.count > 1, (0x40..<0x7F).contains(byte) else { return }
    sequence = nil
    let parameters = String(decoding: bytes[1..<(bytes.count - 1)], as: UTF8.self)
    if parameters.hasPrefix("?") {
      let modes = parameters.dropFirst().split(separator: ";").compactMap { Int($0) }
      if byte == UInt8(ascii: "h") { privateModes.formUnion(modes) }
      if byte == UInt8(ascii: "l") { privateModes.subtract(modes) }
    } else {
      perform(
        Character(Unicode.Scalar(byte)), parameters.split(separator: ";").map { Int($0) ?? 0 })
    }
  }

  private mutating func perform(_ command: Character, _ parameters: [Int]) {
    let count = max(1, parameters.first ?? 1)
    switch command {
    case "A": cursor.row = max(0, cursor.row - count)
    case "B": cursor.row = min(rowCount - 1, cursor.row + count)
    case "C": move(toColumn: cursor.column + count)
    case "D": move(toColumn: cursor.column - count)
    case "G": move(toColumn: count - 1)
    case "H":
      cursor.row = min(rowCount, count) - 1
      move(toColumn: (parameters.dropFirst().first ?? 1) - 1)
    case "J": erase(parameters.first ?? 0)
    case "K": eraseInRow(parameters.first ?? 0)
    case "P": deleteCells(count)
    case "@": insertCells(count)
    default: break
    }
    // A colour moves nothing.
    if command != "m" { wrapsNext = false }
  }

  private mutating func erase(_ part: Int) {
    if part == 0 {
      eraseInRow(0)
      for row in (cursor.row + 1)..<max(rowCount, cursor.row + 1) {
        cells[row] = Self.blankRow(columns)
        flows[row] = false
      }
    } else if part == 2 {
      flows = flows.map { _ in false }
      cells = cells.map { _ in Self.blankRow(columns) }
    }
  }

  private mutating func eraseInRow(_ part: Int) {
    let start = part == 0 ? cursor.column : 0
    let end = part == 1 ? cursor.column + 1 : columns
    if end == columns { flows[cursor.row] = false }
    for column in start..<end { cells[cursor.row][column] = " " }
  }

  private mutating func deleteCells(_ count: Int) {
    let count = min(count, columns - cursor.column)
    cells[cursor.row].removeSubrange(cursor.column..<(cursor.column + count))
    cells[cursor.row] += Self.blankRow(count)
  }

  private mutating func insertCells(_ count: Int) {
    let count = min(count, columns - cursor.column)
    cells[cursor.row].insert(contentsOf: Self.blankRow(count), at: cursor.column)
    cells[cursor.row].removeLast(count)
  }
}
