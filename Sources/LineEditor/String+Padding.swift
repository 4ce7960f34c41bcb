import TextWidth

extension String {
  /// This text with blanks after it up to `width` columns.
  func padded(toDisplayWidth width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - DisplayWidth.width(of: self)))
  }
}
