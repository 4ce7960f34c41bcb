import FetchedResults
import ScriptRuntime

/// A callback that was sent, with its arguments.
struct CallbackLine: Hashable, Sendable {
  /// The controller's name.
  let controller: String
  let kind: Kind

  enum Kind: Hashable, Sendable {
    case willChangeContent
    case didChangeContent
    /// A change of an object, which is named by its ID.
    case object(FetchedResultsChangeType, String, old: ResultsIndexPath?, new: ResultsIndexPath?)
    case section(FetchedResultsChangeType, index: Int, name: String)
  }

  /// Creates the line of a callback; nil if it has none of the four methods that report changes.
  init?(_ callback: ControllerCallback) {
    controller = callback.controller
    switch callback.kind {
    case .willChangeContent: kind = .willChangeContent
    case .didChangeContent: kind = .didChangeContent
    case .didChangeObject(let type, let object, let old, let new):
      kind = .object(type, object.id.description, old: old, new: new)
    case .didChangeSection(let type, let index, let name):
      kind = .section(type, index: index, name: name)
    case .snapshot, .difference, .counts, .results, .replaced: return nil
    }
  }

  /// Whether a line, which may leave parts out, describes this callback.
  ///
  /// - Parameter shownAs: The text that the object is shown as.
  func isSaid(by line: AnsweredCallback, shownAs text: String?) -> Bool {
    guard line.controller == nil || line.controller == controller else { return false }
    switch (kind, line.kind) {
    case (.section(let type, let index, let name), .section(let other, let place, let said)):
      return type == other && (place == nil || place == index) && (said == nil || said == name)
    case (
      .object(let type, let id, let old, let new),
      .object(let other, let saidID, let said, let from, let to)
    ):
      return type == other && from == old && to == new && (said == nil || said == text)
        && (saidID == nil || Self.isSame(saidID, id))
    case (.willChangeContent, .willChangeContent), (.didChangeContent, .didChangeContent):
      return true
    case (.willChangeContent, _), (.didChangeContent, _), (.object, _), (.section, _): return false
    }
  }

  /// Whether a line is about the same object or the same section.
  func isAbout(_ line: AnsweredCallback, shownAs text: String?) -> Bool {
    guard line.controller == nil || line.controller == controller else { return false }
    switch (kind, line.kind) {
    case (.object(_, let id, _, _), .object(_, let saidID, let said, _, _)):
      return saidID.map { Self.isSame($0, id) } ?? (said == text)
    case (.section(let type, let index, let name), .section(let other, let place, let said)):
      return said.map { $0 == name } ?? (type == other || place == index)
    case (.willChangeContent, _), (.didChangeContent, _), (.object, _), (.section, _): return false
    }
  }

  /// Whether a line and this callback are the same change of a section, perhaps of another one.
  func isSameSectionChange(as line: AnsweredCallback) -> Bool {
    guard line.controller == nil || line.controller == controller else { return false }
    switch (kind, line.kind) {
    case (.section(let type, _, _), .section(let other, _, _)): return type == other
    case (.willChangeContent, _), (.didChangeContent, _), (.object, _), (.section, _): return false
    }
  }

  private static func isSame(_ said: String?, _ id: String) -> Bool {
    said?.lowercased() == id.lowercased()
  }

  /// Whether it is one of the two callbacks around each batch.
  var isFrame: Bool {
    switch kind {
    case .willChangeContent, .didChangeContent: true
    case .object, .section: false
    }
  }
}

/// The grade of an answer.
package struct Grade: Equatable, Sendable {
  package enum Verdict: String, Sendable {
    case right
    /// The answer is partly right.
    case partly
    case wrong
  }

  /// A line of the grade, as a person reads it.
  package struct Line: Equatable, Sendable {
    package enum Mark: String, Sendable {
      case right = "✓"
      case wrong = "✗"
      /// Something that is missing in the answer.
      case missing = "+"
      case none = " "
    }

    package var mark: Mark
    package var text: String

    package init(_ mark: Mark, _ text: String) {
      self.mark = mark
      self.text = text
    }

    /// The line with its mark in front.
    package var description: String { "\(mark.rawValue) \(text)" }
  }

  package var verdict: Verdict
  package var lines: [Line]
  /// The reasons why the answer fails: names of rules, and words such as `order` or `crash`.
  package var reasons: Set<String>

  package init(_ verdict: Verdict, _ lines: [Line] = [], reasons: Set<String> = []) {
    self.verdict = verdict
    self.lines = lines
    self.reasons = reasons
  }
}
