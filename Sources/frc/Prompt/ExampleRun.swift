import FetchedResults
import Foundation
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// How a topic's example is run, for examples go on from that of `start`.
struct ExampleRun {
  /// What is typed, one entry after the other.
  let entries: [String]
  /// Whether it needs a session of its own.
  let isApart: Bool
  /// Why it is run as it is, as a comment.
  let reason: String?

  init(_ topic: HelpTopic, in session: Session) {
    let start = Help.firstSteps
    let script = ScriptParser.parse(
      SourceText(name: "", text: (start + topic.example).joined(separator: "\n")))
    let defined = script.statements.compactMap { statement -> String? in
      if case .entity(let entity) = statement.kind { entity.name.text } else { nil }
    }
    let isStart = topic.example == start
    let lines: [String]
    if session.entities.isEmpty {
      isApart = false
      lines = isStart ? start : start + topic.example
      reason = isStart ? nil : "# it goes on from :help start"
    } else if Self.followsStart(session), !isStart,
      !defined.dropFirst().contains(where: {
        session.coordinator.managedObjectModel.entitiesByName[$0] != nil
      })
    {
      isApart = false
      lines = topic.example
      reason = nil
    } else {
      isApart = true
      lines = isStart ? start : start + topic.example
      reason = "# in a session of its own, since this one has entities already"
    }
    entries = Self.entries(of: lines)
  }

  /// Has a topic's files in a folder of their own while its example runs.
  ///
  /// - Parameter body: Is given the entries, in which the files have their whole
  ///   names, and the folder; nil where there are no files.
  func withFiles(of topic: HelpTopic, _ body: ([String], _ folder: String?) -> Void) {
    guard !topic.files.isEmpty else { return body(entries, nil) }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-example-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    var entries = entries
    for (name, content) in topic.files {
      let place = folder.appendingPathComponent(name)
      // Where it cannot be written, the example says so itself.
      try? Data(content.utf8).write(to: place)
      entries = entries.map { $0.replacing("\"\(name)\"", with: "\"\(place.path)\"") }
    }
    body(entries, folder.path)
  }

  /// Puts the lines together that Enter would not run by themselves.
  private static func entries(of lines: [String]) -> [String] {
    var entries: [String] = []
    var open: [String] = []
    for line in lines {
      open.append(line)
      let entry = open.joined(separator: "\n")
      guard ScriptParser.completeness(of: entry) == .complete else { continue }
      entries.append(entry)
      open = []
    }
    return entries + (open.isEmpty ? [] : [open.joined(separator: "\n")])
  }

  /// Whether a session has what the example of `start` defines.
  private static func followsStart(_ session: Session) -> Bool {
    guard let book = session.coordinator.managedObjectModel.entitiesByName["Book"] else {
      return false
    }
    return ["title", "publisher", "pages"].allSatisfy { book.propertyIndex(named: $0) != nil }
      && session.controllers["books"] != nil
  }
}
