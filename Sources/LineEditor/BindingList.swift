/// libedit's list of what its keys do.
struct BindingList {
  /// The functions of single keys.
  ///
  /// These are vi's keys of insert mode, or those of emacs.
  var keys: [Unicode.Scalar: String] = [:]
  /// The functions of single keys in vi's command mode.
  var commands: [Unicode.Scalar: String] = [:]
  /// The functions of keys that send several characters, by libedit's notation of what they send.
  var sequences: [String: String] = [:]
  /// The keys that type a text, by libedit's notation of what they send.
  private(set) var macros: Set<String> = []

  /// Parses the list.
  ///
  /// Its lines look like `"^[[A"  ->  up-line-or-history`, `"a"  to "z"  ->  ed-insert`, or
  /// `"^T"  ->  "text"`.
  init(_ text: String) {
    var isInCommands = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("Alternative key bindings") { isInCommands = true }
      guard line.hasPrefix("\""), let arrow = line.firstRange(of: "->  "),
        let quote = line[..<arrow.lowerBound].lastIndex(of: "\"")
      else { continue }
      let name = String(line[line.index(after: line.startIndex)..<quote])
      let function = String(line[arrow.upperBound...])
      if function.hasPrefix("\"") {
        macros.insert(name)
      } else if let range = Self.keys(named: name) {
        for value in range {
          guard let key = Unicode.Scalar(value) else { continue }
          if isInCommands { commands[key] = function } else { keys[key] = function }
        }
      } else {
        sequences[name] = function
      }
    }
  }

  /// The functions of all keys outside vi's command mode, by libedit's notation.
  var functions: [String: String] {
    var functions = sequences
    for (key, function) in keys { functions[Self.written(key)] = function }
    for key in macros { functions[key] = "a text" }
    return functions
  }

  /// Whether the first character of a sequence begins one in a map of single keys.
  func beginsSequence(_ sequence: String, in map: [Unicode.Scalar: String]) -> Bool {
    let first = Self.key(named: String(sequence.prefix(2))) ?? sequence.unicodeScalars.first
    return first.flatMap { map[$0] } == "ed-sequence-lead-in"
  }

  /// vi's commands that read a character themselves, such as `f`.
  var takers: Set<Unicode.Scalar> {
    let readers: Set = [
      "vi-next-char", "vi-prev-char", "vi-to-next-char", "vi-to-prev-char", "vi-alias",
      "ed-quoted-insert", "ed-sequence-lead-in",
    ]
    let takers = commands.filter { key, function in
      // A key that types a text begins no longer key.
      readers.contains(function) && key.value > 0x20
        && !(function == "ed-sequence-lead-in" && macros.contains(Self.written(key)))
    }
    return Set(takers.keys)
  }

  // MARK: libedit's notation

  /// Returns a character of a key as libedit writes it.
  static func written(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: "^" + String(Character(Unicode.Scalar(UInt8(scalar.value ^ 0x40))))
    default: String(Character(scalar))
    }
  }

  /// Returns a key as libedit reads it, whatever the character means to libedit.
  static func octal(_ key: Unicode.Scalar) -> String {
    let digits = String(key.value, radix: 8)
    return "\\" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  /// Parses the name of a single key, or of a range such as `a"  to "z`; nil for anything else.
  private static func keys(named name: String) -> ClosedRange<UInt32>? {
    if let key = key(named: name) { return key.value...key.value }
    guard let middle = name.firstRange(of: " to \""),
      // The quote after the first name is followed by a varying number of blanks.
      let quote = name[..<middle.lowerBound].lastIndex(of: "\""),
      let first = key(named: String(name[..<quote])),
      let last = key(named: String(name[middle.upperBound...])), first <= last
    else { return nil }
    return first.value...last.value
  }

  /// Parses a name such as `a`, `^A` or `\U+0080`.
  private static func key(named name: String) -> Unicode.Scalar? {
    let scalars = Array(name.unicodeScalars)
    if scalars.count == 1 { return scalars[0] }
    if name.hasPrefix("\\U+") {
      return UInt32(name.dropFirst(3), radix: 16).flatMap { Unicode.Scalar($0) }
    }
    guard scalars.count == 2, scalars[0] == "^" else { return nil }
    // `^?` is Delete, and `^À` is U+0080, a control character too.
    return Unicode.Scalar(scalars[1].value ^ 0x40)
  }
}
