/// The bytes that a terminal sends for keys that are not characters.
package enum Key {
  package static let up = "\u{1B}[A"
  package static let down = "\u{1B}[B"
  package static let right = "\u{1B}[C"
  package static let left = "\u{1B}[D"
  package static let home = "\u{1B}[H"
  package static let end = "\u{1B}[F"
  package static let delete = "\u{1B}[3~"
  package static let backspace = "\u{7F}"
  package static let enter = "\r"
  package static let tab = "\t"
  package static let escape = "\u{1B}"

  /// The key with Control held; `letter` is a capital or one of `@[\]^_`.
  package static func control(_ letter: Character) -> String {
    String(Unicode.Scalar((letter.asciiValue ?? 0) & 0x1F))
  }

  /// The key with Alt held.
  package static func alt(_ key: String) -> String {
    escape + key
  }

  /// The bytes of a paste in a terminal that marks pastes.
  package static func paste(_ text: String) -> String {
    "\u{1B}[200~" + String(text.map { $0 == "\n" ? "\r" : $0 }) + "\u{1B}[201~"
  }
}
