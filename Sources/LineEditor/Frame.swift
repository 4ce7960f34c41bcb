import Basics
import CLibEdit

/// A text with its prompts, laid out for a terminal of a given width.
struct Frame {
  /// A character in the form in which it is written, with its width.
  struct Cell: Equatable {
    var text: String
    var width: Int
    var style = TextStyle.plain
  }

  struct Row {
    var cells: [Cell] = []

    /// Whether the text continues in the next row because this one is full.
    var wraps = false

    var width: Int { cells.reduce(0) { $0 + $1.width } }
  }

  private(set) var rows = [Row()]

  /// The cursor's row and column, counted from 0.
  private(set) var cursor = (row: 0, column: 0)

  private let columns: Int
  private var column = 0

  /// The rows under the text.
  private(set) var menu: [Row] = []

  /// Lays out a line.
  ///
  /// - Parameters:
  ///   - view: The line.
  ///   - columns: The width of the terminal.
  /// - Complexity: O(*n*), where *n* is the length of the text.
  init(_ view: LineView, columns: Int) {
    let pane = PaneLayout(view.surroundings, columns: columns)
    self.columns = pane.lineColumns
    for cell in view.prompt.cells { put(cell) }
    var styles = SpanStyles(view.spans)
    put(view.before, &styles, view.continuationPrompt)
    cursor = (rows.count - 1, column)
    put(view.after, &styles, view.continuationPrompt)
    if view.after.isEmpty {
      for character in view.hint.prefix(while: { !$0.isNewline }) {
        put(character, view.styles.hint, view.continuationPrompt)
      }
    }
    menu = MenuLayout(view.menu, view.styles, columns: pane.lineColumns).rows + pane.below
    pane.add(to: &rows, &menu)
  }

  /// Appends a text.
  ///
  /// All text is laid out after every key, so ASCII characters have a fast path: such a character
  /// stands alone if no combining mark follows.
  private mutating func put(
    _ text: String, _ styles: inout SpanStyles, _ continuationPrompt: Prompt
  ) {
    let bytes = text.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      let next = bytes.index(after: index)
      if 0x20..<0x7F ~= byte, next == bytes.endIndex || bytes[next] < 0x80 {
        put(Cell(text: Self.printable[Int(byte) - 0x20], width: 1, style: styles.next(1)))
        index = next
      } else {
        let character = text[index]
        put(character, styles.next(character.utf8.count), continuationPrompt)
        index = text.index(after: index)
      }
    }
  }

  /// The printable characters of ASCII.
  private static let printable = (0x20..<0x7F).map { String(Character(Unicode.Scalar(UInt8($0)))) }

  private mutating func put(
    _ character: Character, _ style: TextStyle, _ continuationPrompt: Prompt
  ) {
    switch character {
    case "\n", "\r\n":
      startRow()
      for cell in continuationPrompt.cells { put(cell) }
    case "\t":
      let width = min(8 - column % 8, columns - column)
      put(Cell(text: String(repeating: " ", count: width), width: width, style: style))
    default:
      for cell in Self.cells(for: character, style) { put(cell) }
    }
  }

  /// Appends a cell.
  ///
  /// After a full row, the next row begins at once, because the cursor has to be there.
  private mutating func put(_ cell: Cell) {
    if column + cell.width > columns { wrap() }
    rows[rows.count - 1].cells.append(cell)
    column += cell.width
    if column >= columns { wrap() }
  }

  private mutating func wrap() {
    rows[rows.count - 1].wraps = true
    startRow()
  }

  private mutating func startRow() {
    rows.append(Row())
    column = 0
  }

  /// Returns the cells of a character.
  ///
  /// Control characters are shown as `^A`, because they would act on the terminal. Marks that
  /// change the direction of text are shown as U+FFFD.
  static func cells(for character: Character, _ style: TextStyle) -> [Cell] {
    // Terminals treat the two as separate characters, even at the edge.
    if let value = character.asciiValue, value < 0x20 || value == 0x7F {
      let letter = Character(Unicode.Scalar(value ^ 0x40))
      return ["^", letter].map { Cell(text: String($0), width: 1, style: style) }
    }
    return [cell(for: character, style)]
  }

  private static func cell(for character: Character, _ style: TextStyle) -> Cell {
    if character.isASCII { return Cell(text: String(character), width: 1, style: style) }
    let scalars = character.unicodeScalars
    guard let first = scalars.first,
      first.properties.generalCategory == .control || first.properties.isBidiControl
    else {
      return Cell(
        text: String(character), width: DisplayWidth.width(of: character), style: style)
    }
    return Cell(text: "\u{FFFD}", width: 1, style: style)
  }
}

/// Returns the styles of a text's characters in order.
private struct SpanStyles {
  private let spans: [StyledSpan]
  private var index = 0
  private var offset = 0

  init(_ spans: [StyledSpan]) { self.spans = spans }

  /// - Parameter count: The number of bytes in the next character.
  mutating func next(_ count: Int) -> TextStyle {
    guard index < spans.count else { return .plain }
    defer { offset += count }
    while index < spans.count, spans[index].range.upperBound <= offset { index += 1 }
    guard index < spans.count, spans[index].range.contains(offset) else { return .plain }
    return spans[index].style
  }
}

/// The layout of what the program shows around a line.
struct PaneLayout {
  /// The number of columns that are left for the line.
  let lineColumns: Int
  /// The rows under the line.
  let below: [Frame.Row]
  /// The rows at its right, each with the rule before it.
  private let beside: [[Frame.Cell]]

  init(_ surroundings: LineSurroundings, columns: Int) {
    let hasPane =
      !surroundings.beside.isEmpty
      && columns - surroundings.besideColumns >= LineSurroundings.narrowestLine
    let lineColumns = hasPane ? columns - surroundings.besideColumns : columns
    self.lineColumns = lineColumns
    below = surroundings.below.map {
      Frame.Row(cells: MenuLayout.cut(Self.cells(of: $0), to: max(1, lineColumns - 1)))
    }
    // The terminal's last column stays empty, so that the terminal wraps no row.
    let room = surroundings.besideColumns - 3
    beside =
      hasPane
      ? surroundings.beside.map { MenuLayout.cut(Self.cells(of: $0), to: max(1, room)) } : []
  }

  private static func cells(of row: StyledRow) -> [Frame.Cell] {
    row.parts.flatMap { MenuLayout.cells($0.text, $0.style) }
  }

  /// Adds the pane at the right of the line's rows and of those under it.
  func add(to rows: inout [Frame.Row], _ menu: inout [Frame.Row]) {
    guard !beside.isEmpty else { return }
    while rows.count + menu.count < beside.count { menu.append(Frame.Row()) }
    for index in rows.indices { rows[index] = joined(rows[index], index) }
    for index in menu.indices { menu[index] = joined(menu[index], rows.count + index) }
  }

  private func joined(_ row: Frame.Row, _ index: Int) -> Frame.Row {
    guard index < beside.count else { return Frame.Row(cells: row.cells) }
    let blanks = lineColumns - row.width
    let gap = Array(repeating: Frame.Cell(text: " ", width: 1), count: max(0, blanks))
    let rule = [Frame.Cell(text: "│", width: 1), Frame.Cell(text: " ", width: 1)]
    return Frame.Row(cells: row.cells + gap + rule + beside[index])
  }
}

extension String {
  /// Creates a text from wide characters.
  ///
  /// Invalid ones become U+FFFD.
  init(wide characters: UnsafeBufferPointer<wchar_t>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count)
    for character in characters {
      if 0..<0x80 ~= character {
        bytes.append(UInt8(character))
      } else {
        let scalar = Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}"
        bytes += Array(String(scalar).utf8)
      }
    }
    self.init(decoding: bytes, as: UTF8.self)
  }

  /// Calls `body` with this text as wide characters that end with a NUL.
  func withWide<Result>(_ body: (UnsafePointer<wchar_t>) -> Result) -> Result {
    var characters = unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    characters.append(0)
    return characters.withUnsafeBufferPointer { buffer in
      // An array with an element has an address.
      withExtendedLifetime(buffer) { body(buffer.baseAddress.unsafelyUnwrapped) }
    }
  }
}
