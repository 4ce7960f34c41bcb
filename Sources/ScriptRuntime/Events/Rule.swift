import Basics
import FetchedResults

/// A rule of change tracking, with its name in `explain` and in `Documentation/Rules.md`.
package enum Rule: String, Hashable, Sendable, CaseIterable {
  // Reasons why a callback was sent.
  case batch
  case created
  case startedMatching = "started-matching"
  case beyondLimit = "beyond-limit"
  case enteredLimit = "entered-limit"
  case deleted
  case stoppedMatching = "stopped-matching"
  case leftLimit = "left-limit"
  case keptPlace = "kept-place"
  case passedUnchanged = "passed-unchanged"
  case passedChanged = "passed-changed"
  case changedSection = "changed-section"
  case sectionFilled = "section-filled"
  case sectionEmptied = "section-emptied"
  case sectionReordered = "section-reordered"

  // Reasons why an observer published.
  case saved
  case refetched
  case unrelatedSave = "unrelated-save"

  // Reasons why no callback was sent.
  case unsaved
  case staysOutside = "stays-outside"
  case outsideLimit = "outside-limit"
  case otherEntity = "other-entity"
  case relatedObject = "related-object"
  case trackedRelated = "tracked-related"
  case otherContext = "other-context"
  case unmergedBatch = "unmerged-batch"
  case unchanged
  case cameAndWent = "came-and-went"
  case alreadyFetched = "already-fetched"
  case noController = "no-controller"
  case notFetched = "not-fetched"
  case noDelegate = "no-delegate"
  case notImplemented = "not-implemented"
  case stopped

  // Reasons why a table did nothing.
  case suspendedTable = "suspended-table"

  // Reasons why an older version sent another callback.
  case samePathMove = "same-path-move"
  case updateAndMove = "update-and-move"
  case sectionChangeAsUpdate = "section-change-as-update"
}

extension Rule {
  init(_ reason: ChangeReason) {
    self =
      switch reason {
      case .created: .created
      case .startedMatching: .startedMatching
      case .enteredLimit: .enteredLimit
      case .deleted: .deleted
      case .stoppedMatching: .stoppedMatching
      case .leftLimit: .leftLimit
      case .keptPlace: .keptPlace
      case .passedUnchanged: .passedUnchanged
      case .passedChanged: .passedChanged
      case .changedSection: .changedSection
      case .sectionReordered: .sectionReordered
      case .samePathMove: .samePathMove
      case .updateAndMove: .updateAndMove
      case .sectionChangeAsUpdate: .sectionChangeAsUpdate
      }
  }

  init(_ reason: SectionReason) {
    self =
      switch reason {
      case .filled: .sectionFilled
      case .emptied: .sectionEmptied
      case .reordered: .sectionReordered
      }
  }

  init(_ silence: UnreportedReason) {
    self =
      switch silence {
      case .otherEntity: .otherEntity
      case .staysOutside: .staysOutside
      case .outsideLimit: .outsideLimit
      case .alreadyFetched: .alreadyFetched
      case .notFetched: .notFetched
      case .noDelegate: .noDelegate
      case .stopped: .stopped
      }
  }

  /// The rule in a few words.
  package var summary: String {
    switch self {
    case .batch: "this turn changed the results"
    case .created: "a new object matches the predicate"
    case .startedMatching: "the object existed, and matches the predicate only now"
    case .beyondLimit:
      "the object was left out by the fetch limit; the limit applies only when fetching"
    case .enteredLimit: "keep limit: the object matched before, and there is room for it now"
    case .deleted: "the object was deleted"
    case .stoppedMatching: "the object still exists, but no longer matches the predicate"
    case .leftLimit: "keep limit: the object still matches, but another one took its place"
    case .keptPlace: "the object changed, and its order among the other rows did not"
    case .passedUnchanged: "the object is now on the other side of a row that did not change"
    case .passedChanged:
      "the object is now on the other side of a row that also changed; that one is reported as "
        + "an update"
    case .changedSection: "the object moved to another section"
    case .sectionFilled: "the section is new: it got its first row"
    case .sectionEmptied: "the section is gone: it lost its last row"
    case .sectionReordered:
      "sections changed their order; they cannot move, so one is deleted and inserted again"
    case .saved: "a save published what has changed since the results were published last"
    case .refetched: "the request was set, or the context was reset, so the observer fetched"
    case .unrelatedSave:
      "quirk unrelatedSavesFire: an object that is not in the results was saved"
    case .unsaved: "the change waits for a save; an observer publishes after it"
    case .staysOutside: "the object was not in the results before, and is not now"
    case .outsideLimit: "keep limit: the object matches, but the list is full"
    case .otherEntity: "the controller fetches another entity"
    case .relatedObject:
      "the object is only reached through a relationship; the controller does not watch it"
    case .trackedRelated:
      "track related: this change counts as a change of the rows that refer to it"
    case .otherContext: "the change is in another context, and is not merged yet"
    case .unmergedBatch:
      "a batch request changed the store directly; contexts learn of it only by a merge"
    case .unchanged: "the object did not change in this turn"
    case .cameAndWent: "the object was inserted and deleted in the same turn"
    case .alreadyFetched: "the object was already in the results: a fetch found it before the merge"
    case .noController: "there is no controller"
    case .notFetched: "the controller has not fetched yet (performFetch)"
    case .noDelegate: "the controller has no delegate, so it does not follow changes"
    case .notImplemented: "the delegate does not implement this method"
    case .stopped:
      "the controller stopped following changes: its predicate raised an exception, or a fetch "
        + "failed"
    case .suspendedTable: "the table is suspended, so it ignores callbacks"
    case .samePathMove: "old iOS: an update is reported as a move to the same index path"
    case .updateAndMove: "old iOS: a moved object is reported twice, as an update and as a move"
    case .sectionChangeAsUpdate: "old iOS: a change of section is reported as an update"
    }
  }
}

extension Rule {
  /// The lines of a list with each rule's name and summary.
  package static var helpLines: [String] {
    let width = allCases.map(\.rawValue.count).max() ?? 0
    return allCases.flatMap { rule in
      rule.summaryLines(width: longestHelpLine - width - 4).enumerated().map { index, text in
        let name = index == 0 ? rule.rawValue : ""
        return "  \(name.padded(toColumns: width))  \(text)"
      }
    }
  }

  private static var longestHelpLine: Int { 100 }

  /// The summary in lines that are not longer than `width`.
  private func summaryLines(width: Int) -> [String] {
    summary.split(separator: " ").reduce(into: []) { lines, word in
      if let line = lines.last, line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }
}
