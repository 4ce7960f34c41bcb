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

  // Reasons why no callback was sent.
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

  init(_ silence: Silence) {
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
    case .batch: "changes of one turn concern the results"
    case .created: "an object was inserted and matches"
    case .startedMatching: "an object was there and no row, and matches now"
    case .beyondLimit: "an object that the limit cut off changed; only a fetch counts rows"
    case .enteredLimit: "keep limit: an object that matched before is within the limit now"
    case .deleted: "an object was deleted"
    case .stoppedMatching: "an object is there, and matches no more"
    case .leftLimit: "keep limit: an object still matches, and is beyond the limit now"
    case .keptPlace: "an object changed, and no row that stays was passed"
    case .passedUnchanged: "an object passed a row that did not change"
    case .passedChanged: "an object passed a row that changed and kept its place"
    case .changedSection: "an object came into another section"
    case .sectionFilled: "a section got its first row"
    case .sectionEmptied: "a section lost its last row"
    case .sectionReordered: "a section passed another one, and sections never move"
    case .staysOutside: "an object was no row and is none"
    case .outsideLimit: "keep limit: an object matches, and is not within the limit"
    case .otherEntity: "an object is not of the request's entity"
    case .relatedObject: "an object stands behind a key path, and is not fetched itself"
    case .trackedRelated: "track related: a change counts as one of the objects that lead to it"
    case .otherContext: "an object changed in another context"
    case .unmergedBatch: "a batch request wrote to the store, past every context"
    case .unchanged: "an object did not change in the turn"
    case .cameAndWent: "an object was inserted and deleted in one turn"
    case .alreadyFetched: "a fetch had the object before its insertion was merged"
    case .noController: "there is no controller"
    case .notFetched: "there was no performFetch"
    case .noDelegate: "no delegate hears of changes"
    case .notImplemented: "the delegate does not implement the callback"
    case .stopped: "the predicate raised on an object, or a fetch failed; tracking stopped"
    case .suspendedTable: "a suspended table answers no callback"
    case .samePathMove: "quirk: an update is told as a move to its own place"
    case .updateAndMove: "quirk: an update is told before the move of one object"
    case .sectionChangeAsUpdate: "quirk: a change of section is told as an update"
    }
  }
}

extension Rule {
  /// The lines of a list with each rule's name and summary.
  package static var helpLines: [String] {
    let width = allCases.map(\.rawValue.count).max() ?? 0
    return allCases.map { rule in
      let blanks = String(repeating: " ", count: width - rule.rawValue.count)
      return "  \(rule.rawValue)\(blanks)  \(rule.summary)"
    }
  }
}
