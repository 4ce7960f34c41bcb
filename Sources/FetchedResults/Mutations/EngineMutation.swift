#if FRC_MUTATIONS
import Foundation
#endif

/// A deliberate mistake of the engine, which shows that the laws and the goldens would find it.
///
/// One is active at a time.
///
/// Only a build with `-D FRC_MUTATIONS` can make these mistakes. In every other build
/// ``mutation(_:)`` is false, and code guarded by it is compiled out. See `Scripts/mutations`.
enum EngineMutation {
  /// Changes within a group are sent in descending order.
  case wrongOrder
  /// A move is reported as an update.
  case lostMove
  /// The new path of a move or an update is the old one.
  case oldPathForNew
  /// New paths leave out the rows that are inserted before them.
  case intermediatePath
  /// New paths use the old index of a section that stays.
  case staleSection
  /// A deleted section is not reported.
  case lostSectionDelete
  /// An inserted section is not reported.
  case lostSectionInsert
  /// Sections that change places count as unmoved.
  case sectionsPassUnseen
  /// An object that matches again does not become a row.
  case missedReentry
  /// An object that no longer matches stays a row.
  case staleMatch
  /// A deleted row is not reported.
  case lostDelete
  /// An object that moves is also reported as an update.
  case updateBesideMove
  /// Of rows that pass each other, none keeps its place.
  case noneKept
  /// A row stays where it is, whatever its new keys are.
  case stalePlace
  /// Moves and updates are sent before inserts.
  case movesBeforeInserts
  /// A batch that changes no row is reported.
  case emptyBatchTold
  /// A batch that is processed during another batch's callbacks is lost.
  case nestedBatchLost
  /// Rows that changed without a delegate are searched by their new values.
  case unpinned
  /// Assigning an equal value does not count as a change.
  case touchUnseen
  /// When a row leaves a kept limit, the row that should come in is not reported.
  case limitNotRefilled
  /// A change of a tracked related object has no effect.
  case relatedUnseen
  /// A section cache is used although the store has changed.
  case staleCache
  /// An observer of results does not put the section key in front of the sort keys.
  case sectionKeyNotPrepended
  /// An observer of results publishes before the save.
  case publishedUnsaved
  /// A difference composed of several batches lacks one of them.
  case composedBatchLost
  /// A rolled back change is published.
  case rollbackPublished
}

#if FRC_MUTATIONS
private let activeMutation = ProcessInfo.processInfo.environment["FRC_MUTATION"]

/// Whether the engine makes a mistake: the one that `FRC_MUTATION` names.
func mutation(_ mutation: EngineMutation) -> Bool { "\(mutation)" == activeMutation }
#else
/// Whether the engine makes a mistake, which is always false in this build.
@inline(__always)
func mutation(_ mutation: EngineMutation) -> Bool { false }
#endif
