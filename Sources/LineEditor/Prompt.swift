import Basics

/// The text before a line.
///
/// Each escape sequence, such as a colour, is enclosed in `\u{1}`, so that it is not counted as
/// visible.
package struct Prompt {
  /// The visible characters, each with the sequences before it.
  ///
  /// Sequences at the end belong to the last character.
  let cells: [Frame.Cell]

  /// The visible characters.
  let text: String

  package init(_ text: String) {
    var cells: [Frame.Cell] = []
    var visible = ""
    var sequences = ""
    let parts = text.split(separator: "\u{1}", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index % 2 == 1 {
        sequences += part
        continue
      }
      visible += part
      for character in part {
        cells.append(
          Frame.Cell(text: sequences + String(character), width: DisplayWidth.width(of: character)))
        sequences = ""
      }
    }
    if let last = cells.indices.last { cells[last].text += sequences }
    self.cells = cells
    self.text = visible
  }

  private init(cells: [Frame.Cell], text: String) {
    self.cells = cells
    self.text = text
  }

  /// Returns this prompt with visible characters in front.
  func following(_ sign: String) -> Prompt {
    let start = Prompt(sign)
    return Prompt(cells: start.cells + cells, text: start.text + text)
  }
}
