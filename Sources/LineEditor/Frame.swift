/// A text laid out on a terminal of a certain width, with its prompts.
struct Frame {
  /// A character as it is written, and the room it takes.
  struct Cell: Equatable {
    var text: String
    var width: Int
  }

  struct Row {
    var cells: [Cell] = []

    /// Whether the text goes on in the next row because the edge was reached.
    var wraps = false

    var width: Int { cells.reduce(0) { $0 + $1.width } }
  }

  private(set) var rows = [Row()]

  /// Where the cursor stands, counted from 0.
  private(set) var cursor = (row: 0, column: 0)

  private let columns: Int
  private var column = 0

  /// Lays out a text.
  ///
  /// - Parameters:
  ///   - before: The text before the cursor.
  ///   - after: The text behind it.
  ///   - prompt: What stands before the first line.
  ///   - continuationPrompt: What stands before each further line.
  ///   - columns: The width of the terminal.
  init(
    before: String, after: String, prompt: Prompt, continuationPrompt: Prompt, columns: Int
  ) {
    self.columns = columns
    for cell in prompt.cells { put(cell) }
    for character in before { put(character, continuationPrompt) }
    cursor = (rows.count - 1, column)
    for character in after { put(character, continuationPrompt) }
  }

  private mutating func put(_ character: Character, _ continuationPrompt: Prompt) {
    switch character {
    case "\n", "\r\n":
      startRow()
      for cell in continuationPrompt.cells { put(cell) }
    case "\t":
      let width = min(8 - column % 8, columns - column)
      put(Cell(text: String(repeating: " ", count: width), width: width))
    default:
      put(Self.cell(for: character))
    }
  }

  /// Appends a cell.
  ///
  /// Behind a full row the next one begins at once, for that is where the
  /// cursor has to stand.
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

  /// Control characters would act on the terminal; they are shown as `^A`.
  private static func cell(for character: Character) -> Cell {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, first.properties.generalCategory == .control else {
      return Cell(text: String(character), width: character.displayWidth)
    }
    guard scalars.count == 1, first.value < 0x80 else { return Cell(text: "\u{FFFD}", width: 1) }
    let letter = Unicode.Scalar(UInt8(first.value ^ 0x40))
    return Cell(text: "^\(Character(letter))", width: 2)
  }
}
