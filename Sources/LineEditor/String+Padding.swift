import Basics

extension String {
  /// Returns this text with blanks appended up to `width` columns.
  func padded(toDisplayWidth width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - DisplayWidth.width(of: self)))
  }
}
