/// The rule by which a change is reported as what it is.
public enum ChangeReason: String, Hashable, Sendable, Codable {
  /// The object was created and matches.
  case created
  /// The object existed, and is a result only now.
  case startedMatching
  /// The object was deleted.
  case deleted
  /// The object exists, and no longer matches.
  case stoppedMatching
  /// The object matched before too, and a kept limit lets it in now.
  case enteredLimit
  /// The object still matches, and a kept limit cuts it off now.
  case leftLimit
  /// The object changed and kept its place among the rows that stay.
  case keptPlace
  /// The object passed a row that did not change.
  case passedUnchanged
  /// The object passed rows that changed too and kept their place.
  case passedChanged
  /// The object's section name became another.
  case changedSection
  /// The object's section changed places with another, and sections never
  /// move.
  case sectionReordered
  // An older version made it what it is; see ``FetchedResultsQuirks``.

  /// The object changed where it is, and is reported as a move.
  case samePathMove
  /// The object moves, and is reported as an update first.
  case updateAndMove
  /// The object's section name became another, and it is reported as an update.
  case sectionChangeAsUpdate
}

extension ChangeReason {
  /// Why an object became a result.
  init(enteringBy cause: MembershipChange.Cause) {
    self =
      switch cause {
      case .existence: .created
      case .match: .startedMatching
      case .limit: .enteredLimit
      }
  }

  /// Why an object is no longer a result.
  init(leavingBy cause: MembershipChange.Cause) {
    self =
      switch cause {
      case .existence: .deleted
      case .match: .stoppedMatching
      case .limit: .leftLimit
      }
  }
}

/// The rule by which a section is reported as coming or going.
public enum SectionReason: String, Hashable, Sendable, Codable {
  /// The section got its first row.
  case filled
  /// The section lost its last row.
  case emptied
  /// The section changed places with another, and sections never move.
  case reordered
}
