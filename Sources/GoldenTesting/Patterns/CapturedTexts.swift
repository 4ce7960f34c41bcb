/// What patterns such as `[id=..]` matched so far, by their names.
package struct CapturedTexts: Hashable, Sendable {
  /// Nil where a pattern of the name did not fit: the name then stands for any
  /// text, so that one mistake is reported once.
  private var texts: [String: String?] = [:]

  package init() {}

  /// Whether there is any name.
  var isNamed: Bool { !texts.isEmpty }

  func has(_ name: String) -> Bool { texts[name] != nil }

  /// What a name stands for; nil where that is not known.
  subscript(name: String) -> String? { texts[name] ?? nil }

  /// The names with known texts, sorted.
  var known: [(name: String, text: String)] {
    texts.compactMap { name, text in text.map { (name, $0) } }.sorted { $0.name < $1.name }
  }

  mutating func set(_ name: String, to text: String?) { texts.updateValue(text, forKey: name) }

  /// Returns these texts with others, which replace those of the same names.
  func adding(_ other: CapturedTexts) -> CapturedTexts {
    guard other.isNamed else { return self }
    var result = self
    result.texts.merge(other.texts) { $1 }
    return result
  }

  /// Returns the texts of some names.
  func only(_ names: Set<String>) -> CapturedTexts {
    guard isNamed else { return self }
    var result = self
    result.texts = texts.filter { names.contains($0.key) }
    return result
  }
}
