/// The rule that decided how a change is reported.
public enum ChangeReason: String, Hashable, Sendable, Codable {
  /// The object was created and matches.
  case created
  /// The object existed, and starts to match now.
  case startedMatching
  /// The object was deleted.
  case deleted
  /// The object exists, and no longer matches.
  case stoppedMatching
  /// The object already matched, and a kept limit lets it in now.
  case enteredLimit
  /// The object still matches, and a kept limit cuts it off now.
  case leftLimit
  /// The object changed and kept its place among the rows that stay.
  case keptPlace
  /// The object passed a row that did not change.
  case passedUnchanged
  /// The object passed rows that also changed and that kept their places.
  case passedChanged
  /// The object's section name changed.
  case changedSection
  /// The object's section changed places with another one. Sections never move, so its rows do.
  case sectionReordered
  // Reports of older versions; see ``FetchedResultsQuirks``.

  /// The object changed and kept its place, and is reported as a move.
  case samePathMove
  /// The object moves, and is reported as an update first.
  case updateAndMove
  /// The object's section name changed, and it is reported as an update.
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

/// The rule by which a section is reported as inserted or deleted.
public enum SectionReason: String, Hashable, Sendable, Codable {
  /// The section got its first row.
  case filled
  /// The section lost its last row.
  case emptied
  /// The section changed places with another one, and sections never move.
  case reordered
}
