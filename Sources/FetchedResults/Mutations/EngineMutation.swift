#if FRC_MUTATIONS
import Foundation
#endif

/// What the engine does wrong on purpose, one at a time, so that it can be shown
/// that the laws and the goldens would catch it.
///
/// Only a build with `-D FRC_MUTATIONS` can do any of it; in every other
/// ``mutation(_:)`` is false, and what hangs on it is no part of the program. See
/// `Scripts/mutations`.
enum EngineMutation {
  /// Changes within a group are told in descending order.
  case wrongOrder
  /// What moves is reported as an update.
  case lostMove
  /// A move's and an update's new path is the old one.
  case oldPathForNew
  /// New paths leave out the rows that enter before.
  case intermediatePath
  /// New paths name a section that stays by its old index.
  case staleSection
  /// A section that goes is not told.
  case lostSectionDelete
  /// A section that comes is not told.
  case lostSectionInsert
  /// Sections that change places are taken to stay.
  case sectionsPassUnseen
  /// An object that matches again is not let in.
  case missedReentry
  /// An object that no longer matches stays.
  case staleMatch
  /// A row that goes is not told.
  case lostDelete
  /// An object that moves is reported as an update besides.
  case updateBesideMove
  /// Of rows that pass each other none keeps its place.
  case noneKept
  /// A row stays where it is whatever its keys become.
  case stalePlace
  /// Moves and updates are told before inserts.
  case movesBeforeInserts
  /// A batch that concerns no row is told.
  case emptyBatchTold
  /// A batch that is processed while another is told is lost.
  case nestedBatchLost
  /// Rows that changed without a delegate are searched by their new values.
  case unpinned
  /// Assigning an equal value is no change.
  case touchUnseen
  /// When a row leaves a kept limit, the row that should come in is lost.
  case limitNotRefilled
  /// A related object that is tracked changes nothing.
  case relatedUnseen
  /// A section cache is used although the store has changed.
  case staleCache
}

#if FRC_MUTATIONS
private let activeMutation = ProcessInfo.processInfo.environment["FRC_MUTATION"]

/// Whether the engine does a thing wrong: the one that `FRC_MUTATION` names.
func mutation(_ mutation: EngineMutation) -> Bool { "\(mutation)" == activeMutation }
#else
/// Whether the engine does a thing wrong: it does not.
@inline(__always)
func mutation(_ mutation: EngineMutation) -> Bool { false }
#endif
