/// Gives scripts names that are valid in Swift and in every file system.
struct ScriptNames {
  private var taken: Set<String> = []

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
