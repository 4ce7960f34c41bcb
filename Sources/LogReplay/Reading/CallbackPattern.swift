import FetchedResults

/// The format in which an app prints its callbacks: `{type} {object} at {old} -> {new}`.
package struct CallbackPattern: Sendable {
  private let template: TextTemplate
  private let isOfSections: Bool

  /// Why a pattern cannot be used.
  package struct Problem: Error, Hashable, Sendable {
    package let words: String
  }

  private static let known = ["type", "object", "old", "new", "index", "name", "any"]

  /// Creates a pattern.
  ///
  /// - Throws: ``Problem`` if it has an unknown placeholder, or lacks one that is required.
  package init(_ text: String) throws(Problem) {
    template = TextTemplate(text)
    let names = template.names
    if let unknown = names.first(where: { !Self.known.contains($0) }) {
      throw Problem(
        words: "the pattern has {\(unknown)}; it can have "
          + Self.known.map { "{\($0)}" }.joined(separator: ", "))
    }
    isOfSections = names.contains("index")
    guard names.contains("type"), isOfSections || names.contains("old") || names.contains("new")
    else {
      throw Problem(
        words: "the pattern needs {type}, and {old}, {new} or {index}, as in "
          + "'{type} {object} at {old} -> {new}'")
    }
  }

  /// Reads a callback from a line.
  func reading(of line: String) -> MessageReading {
    // Patterns are compared with all places of a line, so a long one would take too long.
    guard line.utf8.count <= Self.mostBytes else { return .other }
    guard let gaps = template.match(line, fits: Self.fits) ?? template.match(line, fits: nil) else {
      return .other
    }
    func text(_ name: String) -> Substring? { gaps.first { $0.name == name }?.text }
    guard let typeText = text("type") else { return .other }
    guard let type = Self.type(typeText) else {
      // Any line may have the words of a pattern by chance, but not an index path as well.
      let hasPath = ["old", "new"].contains { name in text(name).flatMap(Self.path) != nil }
      return .unclear(
        "{type} is '\(typeText.prefix(40))'; print insert, delete, move, update or 1 to 4",
        isCallback: hasPath || isOfSections && text("index").flatMap(Self.index) != nil)
    }
    let object = text("object").flatMap { $0.isEmpty ? nil : String($0) }
    if isOfSections {
      guard let index = text("index").flatMap(Self.index) else {
        return .unclear(
          "{index} is '\(text("index")?.prefix(40) ?? "")', which is not a number",
          isCallback: false)
      }
      return .event(
        .section(
          controller: CallbackGrammar.unnamed,
          SectionChange(type: type, index: index, name: text("name").map(String.init))),
        .callback)
    }
    let old = text("old").flatMap(Self.path)
    let new = text("new").flatMap(Self.path)
    guard old != nil || new != nil else {
      return .unclear("it has no index path at {old} or {new}", isCallback: false)
    }
    let change =
      type == .insert && (text("old") == nil || text("new") == nil)
      ? ObjectChange(type: type, object: object, old: nil, new: new ?? old)
      : ObjectChange(
        type: type, object: object, old: old ?? (text("old") == nil ? new : nil),
        new: type == .delete && text("old") == nil ? nil : new)
    return .event(.object(controller: CallbackGrammar.unnamed, change), .callback)
  }

  private static let mostBytes = 1 << 12

  /// Whether a text can be the value of a placeholder.
  private static func fits(_ name: String, _ text: Substring) -> Bool {
    switch name {
    case "type": type(text) != nil
    case "old", "new": path(text) != nil || isAbsent(text)
    case "index": index(text) != nil
    case _: true
    }
  }

  private static func type(_ text: Substring) -> FetchedResultsChangeType? {
    let words = text.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
    let types = words.compactMap { CallbackVocabulary.type($0) }
    guard types.isEmpty else { return Set(types).count == 1 ? types[0] : nil }
    // Other numbers belong to a time.
    guard words.dropLast().allSatisfy({ $0.allSatisfy(\.isLetter) }) else { return nil }
    return words.last.flatMap { Int($0) }.flatMap { CallbackVocabulary.type(number: $0) }
  }

  private static func index(_ text: Substring) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    return digits.count < 10 ? Int(digits) : nil
  }

  /// Reads an index path with or without its brackets.
  private static func path(_ text: Substring) -> ResultsIndexPath? {
    for text in [String(text), "[\(text)]"] {
      for token in LineLexer(Array(text.utf8)[...]).tokens {
        if case .path(let path) = token.kind { return path }
      }
    }
    return nil
  }

  private static func isAbsent(_ text: Substring) -> Bool {
    ["", "-", "nil", "(null)", "null", "none", "Optional(nil)"].contains(text)
  }
}
