import ScriptRuntime

/// The Swift file of one script: its test, and its data.
struct ScriptFile {
  private let script: ExportedScript
  private let name: String

  init(_ script: ExportedScript, name: String) {
    self.script = script
    self.name = name
  }

  var text: String {
    let usesUndo = script.usesUndo ? ", usesUndo: true" : ""
    return """
      import Conformance

      extension ConformanceTests {
        // \(Self.comment(script.summary.isEmpty ? script.name : script.summary))
        func test_\(name)() throws { try check(script) }
      }

      private let script = Script(
        name: \(Self.literal(script.name)), store: "\(script.store)"\(usesUndo),
        entities: \(Self.literal(lines: script.entities.map(\.description))),
        steps: \(Self.literal(lines: script.steps.map(\.description))),
        events: \(Self.literal(lines: script.events.map { "\($0.line) \($0.event)" })))

      """
  }

  /// Returns a text without line ends, so that it cannot end the comment.
  static func comment(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { isPlain($0) ? $0 : " " }))
  }

  /// Whether a character neither ends a line nor affects the text around it.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
      .privateUse:
      false
    default: true
    }
  }

  /// Returns a text as a literal of Swift.
  static func literal(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case _ where !isPlain(scalar): return "\\u{\(String(scalar.value, radix: 16))}"
        default: return String(scalar)
        }
      }.joined() + "\""
  }

  /// Returns a raw string literal with more `#` than any run of them in the text.
  ///
  /// So nothing in the text can end the literal or be an interpolation.
  private static func literal(lines: [String]) -> String {
    guard !lines.isEmpty else { return "\"\"" }
    // Invisible characters become codes, which JSON allows too.
    let lines = lines.map(escapingInvisible)
    var longest = 0
    var run = 0
    for line in lines {
      for byte in line.utf8 {
        run = byte == UInt8(ascii: "#") ? run + 1 : 0
        longest = max(longest, run)
      }
      run = 0
    }
    let marks = String(repeating: "#", count: longest + 1)
    let indent = "    "
    return "\(marks)\"\"\"\n" + lines.map { indent + $0 + "\n" }.joined() + indent
      + "\"\"\"\(marks)"
  }

  private static func escapingInvisible(_ line: String) -> String {
    line.unicodeScalars.map { scalar in
      guard !isPlain(scalar) else { return String(scalar) }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }.joined()
  }
}

/// Gives scripts names that are valid in Swift and in every file system.
struct ScriptNames {
  private var taken: Set<String>

  /// - Parameter files: The paths of other files, whose names no script gets: a Swift module cannot
  ///   have two files with the same name.
  init(besides files: [String] = []) {
    taken = Set(
      files.compactMap { $0.split(separator: "/").last?.split(separator: ".").first?.lowercased() })
  }

  /// Returns the name for a script's file and test, which no other script has.
  ///
  /// It has only ASCII letters, ASCII digits and underscores. So no script path can lead out of the
  /// folder or end a string literal.
  mutating func name(of path: String) -> String {
    let stem = path.hasSuffix(".frc") ? path.dropLast(4) : path[...]
    let parts = stem.split(separator: "/").map(Self.word).filter { !$0.isEmpty }
    var name = parts.joined(separator: "_")
    if name.first?.isLetter != true { name = "script_" + name }
    // Some file systems have limits, and do not distinguish upper and lower case.
    name = String(name.prefix(120))
    var unique = name
    var number = 1
    while !taken.insert(unique.lowercased()).inserted {
      number += 1
      unique = "\(name)_\(number)"
    }
    return unique
  }

  /// Returns the words of a path component, each after the first with a capital letter.
  private static func word(_ part: Substring) -> String {
    let words = part.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return words.enumerated().map { index, word in
      index == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
  }
}
