import Foundation

/// A script of frc as data: a model, operations, and the events that frc reports for them.
public struct Script: Sendable {
  /// The path of the script.
  public let name: String
  /// The kind of store: `memory` or `sqlite`.
  public let store: String
  /// Whether turns are undone.
  public let usesUndo: Bool
  /// The entities, one JSON object per line.
  public let entities: String
  /// The operations, one JSON object per line.
  public let steps: String
  /// The events, one per line: the line of the script, and a JSON object.
  public let events: String

  /// Creates a script.
  public init(
    name: String, store: String = "memory", usesUndo: Bool = false, entities: String,
    steps: String, events: String
  ) {
    self.name = name
    self.store = store
    self.usesUndo = usesUndo
    self.entities = entities
    self.steps = steps
    self.events = events
  }

  func decoded<Element: Decodable>(_ lines: String) throws -> [Element] {
    let decoder = JSONDecoder()
    return try lines.split(separator: "\n").map {
      try decoder.decode(Element.self, from: Data($0.utf8))
    }
  }
}

/// An event, and the line of the script that causes it.
public struct ReportedEvent: Equatable, Sendable {
  /// The line, counted from 1.
  public let line: Int
  /// The event in the format of `frc run --format json`.
  public let json: String

  init(line: Int, json: String) {
    self.line = line
    self.json = json
  }

  /// Reads a line of `Script.events`.
  init?(_ text: Substring) {
    guard let space = text.firstIndex(of: " "), let line = Int(text[..<space]) else { return nil }
    self.init(line: line, json: String(text[text.index(after: space)...]))
  }
}

/// The reason why a script cannot be run.
struct KitError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
