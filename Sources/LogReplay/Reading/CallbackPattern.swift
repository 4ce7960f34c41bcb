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

  /// Reads a callback from a line; nil if the line does not fit.
  func event(in line: String) -> LogEvent? {
    guard let gaps = template.match(line) else { return nil }
    func text(_ name: String) -> Substring? { gaps.first { $0.name == name }?.text }
    func path(_ name: String) -> ResultsIndexPath? {
      text(name).flatMap { text in
        IndexPathScan.paths(in: text).first?.path
          ?? IndexPathScan.paths(in: "[\(text)]").first?.path
      }
    }
    guard let typeText = text("type"), let type = CallbackText.type(in: "type \(typeText)") else {
      return nil
    }
    if isOfSections {
      let digits = text("index")?.prefix { $0.isNumber }
      guard let index = digits.flatMap({ Int($0) }) else { return nil }
      return .section(
        controller: CallbackText.unnamed,
        SectionChange(type: type, index: index, name: text("name").map(String.init)))
    }
    let new = path("new")
    let old = path("old")
    guard old != nil || new != nil else { return nil }
    let object = text("object").flatMap { $0.isEmpty ? nil : String($0) }
    return .object(
      controller: CallbackText.unnamed,
      type == .insert
        ? ObjectChange(type: type, object: object, old: nil, new: new ?? old)
        : ObjectChange(
          type: type, object: object, old: old ?? new, new: type == .delete ? nil : new))
  }
}
