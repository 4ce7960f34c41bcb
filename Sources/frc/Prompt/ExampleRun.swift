import FetchedResults
import Foundation
import Platform
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// The entries and the session for a topic's example.
///
/// Examples continue the example of `start`.
struct ExampleRun {
  /// The entries to type, in order.
  let entries: [String]
  /// Whether it needs a session of its own.
  let isApart: Bool
  /// The reason for running it in this way, as a comment.
  let reason: String?

  init(_ topic: HelpTopic, in session: Session) {
    let start = topic.isApart ? [] : Help.firstSteps
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
      reason = isStart || topic.isApart ? nil : "# it continues the example of :help start"
    } else if Self.followsStart(session), !isStart, !topic.isApart,
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

  /// Provides a topic's files in a temporary folder while its example runs.
  ///
  /// - Parameter body: Called with the entries, in which files have complete paths, and with the
  ///   folder; nil if there are no files.
  func withFiles(of topic: HelpTopic, _ body: ([String], _ folder: String?) -> Void) {
    guard !topic.files.isEmpty else { return body(entries, nil) }
    // If the folder or a file cannot be made, the example itself shows that the file is missing.
    guard let folder = try? TemporaryFolder(prefix: "frc-example") else {
      return body(entries, nil)
    }
    defer { folder.remove() }
    var entries = entries
    for (name, content) in topic.files {
      do throws(SystemError) {
        let file = try folder.opened().open(name, .creating)
        try file.descriptor.write(content.utf8)
      } catch {
        continue
      }
      let place = folder.path(of: name)
      entries = entries.map { $0.replacing("\"\(name)\"", with: "\"\(place)\"") }
    }
    body(entries, folder.path)
  }

  /// Joins lines that Enter would not run by themselves.
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

  /// Whether a session contains what the example of `start` defines.
  private static func followsStart(_ session: Session) -> Bool {
    guard let book = session.coordinator.managedObjectModel.entitiesByName["Book"] else {
      return false
    }
    return ["title", "publisher", "pages"].allSatisfy { book.propertyIndex(named: $0) != nil }
      && session.controllers["books"] != nil
  }
}
