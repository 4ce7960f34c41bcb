/// A place in a text: lines and columns are counted from 1, columns in characters.
package struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The place as text, such as `3:9`.
  package var description: String { "\(line):\(column)" }
}
