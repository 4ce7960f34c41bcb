/// A place as people count it: lines and columns from 1, columns in characters.
package struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// `3:9`.
  package var description: String { "\(line):\(column)" }
}
