import FetchedResults
import Foundation
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// A session whose turns are all explained, and the objects' values before and after each turn.
final class ExplainedWorld {
  typealias Values = [String: String]

  /// The output of `explain`, one JSON object per line.
  typealias Printed = [String: Any]

  private(set) var before: [Int: Values] = [:]
  private(set) var after: [Int: Values] = [:]
  private(set) var printed: [Printed] = []
  private var lines: [String] = []
  private var interpreter: Interpreter?

  init(_ script: String) throws {
    let interpreter = Interpreter(environment: ScriptFiles()) { [unowned self] event in
      lines += event.jsonLines
    }
    self.interpreter = interpreter
    interpreter.keepReasons()
    try run(script)
    after = books
  }

  /// Runs a turn and explains it.
  func explain(_ turn: String) throws {
    before = after
    try run(turn)
    after = books
    lines = []
    try run("explain")
    printed = try lines.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? Printed)
    }
  }

  private func run(_ text: String) throws {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    try #require(script.diagnostics.map(\.message) == [])
    do {
      try interpreter?.run(script)
    } catch {
      Issue.record("\(DiagnosticRenderer().render(error.diagnostic, in: error.source))")
      throw error
    }
  }

  /// The values of every book, as text.
  private var books: [Int: Values] {
    guard let session = interpreter?.session,
      let entity = session.coordinator.managedObjectModel.entitiesByName["Book"]
    else { return [:] }
    let live = session.context.registeredObjects(of: entity).filter { !$0.isDeleted }
    return Dictionary(
      uniqueKeysWithValues: live.map { object in
        let keys = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        return (
          Int(object.objectID.number),
          Dictionary(
            uniqueKeysWithValues: keys.map { key in
              (key, (try? object.value(forKey: key))?.description ?? "?")
            })
        )
      })
  }
}

/// A controller as it is defined, computed from values only.
struct PlainController: Sendable {
  let name: String
  /// The text after the name in the script.
  let definition: String
  let matches: @Sendable (ExplainedWorld.Values) -> Bool
  /// The sort keys.
  ///
  /// Those of numbers have a direction.
  let sort: [Key]
  let section: String?
  /// The keys in the predicate.
  let predicateKeys: Set<String>

  enum Key: Sendable {
    case text(String)
    case number(String, ascending: Bool)

    var name: String {
      switch self {
      case .text(let name), .number(let name, ascending: _): name
      }
    }
  }

  /// A row's place.
  struct Place: Equatable {
    var path: [Int]
    var section: String?
    var previous: Int?
    var next: Int?
  }

  /// Returns the rows of objects with these values.
  func rows(_ objects: [Int: ExplainedWorld.Values]) -> PlainRows {
    let sorted = objects.filter { matches($0.value) }.keys.sorted { left, right in
      for key in sort {
        let (a, b) = (objects[left]?[key.name] ?? "", objects[right]?[key.name] ?? "")
        guard a != b else { continue }
        switch key {
        case .text: return a.utf8.lexicographicallyPrecedes(b.utf8)
        case .number(_, let ascending):
          return ascending == ((Int(a) ?? 0) < (Int(b) ?? 0))
        }
      }
      return left < right
    }
    var sections: [(name: String, rows: [Int])] = section == nil ? [("", [])] : []
    for row in sorted {
      let name = section.flatMap { objects[row]?[$0] } ?? ""
      if sections.last?.name != name { sections.append((name, [])) }
      sections[sections.count - 1].rows.append(row)
    }
    return PlainRows(sections: sections, isSectioned: section != nil)
  }
}

/// Rows in sections.
struct PlainRows {
  let sections: [(name: String, rows: [Int])]
  let isSectioned: Bool

  func place(of row: Int) -> PlainController.Place? {
    for (index, section) in sections.enumerated() {
      guard let place = section.rows.firstIndex(of: row) else { continue }
      return PlainController.Place(
        path: [index, place], section: isSectioned ? section.name : nil,
        previous: place > 0 ? section.rows[place - 1] : nil,
        next: place + 1 < section.rows.count ? section.rows[place + 1] : nil)
    }
    return nil
  }

  func index(ofSection name: String) -> Int? { sections.firstIndex { $0.name == name } }

  /// Whether one row is before another, across all sections.
  func stands(_ row: Int, before other: Int) -> Bool? {
    guard let left = place(of: row)?.path, let right = place(of: other)?.path else { return nil }
    return left.lexicographicallyPrecedes(right)
  }
}
