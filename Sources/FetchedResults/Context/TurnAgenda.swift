import Basics

/// The contexts of a session for which the end of a turn may have something to do.
///
/// Most statements touch one context of many. A context notes its place here when it gets work, so
/// the end of a turn does not look at the others.
package final class TurnAgenda {
  /// The places of the contexts, in ascending order.
  @exclusivity(unchecked) private var places: [Int] = []

  /// Creates an agenda without contexts.
  package init() {}

  /// Whether no context has work.
  package var isEmpty: Bool { places.isEmpty }

  /// Lets a context note its work from now on; it may have some already.
  ///
  /// - Parameter place: The place of the context among the session's.
  package func add(_ context: ManagedObjectContext, at place: Int) {
    context.agenda = (self, place)
    context.isOnAgenda = true
    note(place)
  }

  /// Returns the first place that is not before another one.
  ///
  /// - Complexity: O(log *k*) in the contexts that have work.
  package func next(from place: Int) -> Int? {
    let index = index(of: place)
    return index < places.count ? places[index] : nil
  }

  /// Drops the contexts for which a turn's end has nothing to do.
  ///
  /// - Complexity: O(*k*).
  package func dropResting(_ context: (Int) -> ManagedObjectContext) {
    places.removeAll { place in
      let context = context(place)
      guard context.isAtRest else { return false }
      context.isOnAgenda = false
      return true
    }
  }

  /// Whether a context has changes to process.
  ///
  /// - Complexity: O(*k*).
  package func hasChanges(_ context: (Int) -> ManagedObjectContext) -> Bool {
    places.contains { context($0).awaitsTurn }
  }

  func note(_ place: Int) {
    if let last = places.last, last >= place {
      let index = index(of: place)
      if places[index] != place { places.insert(place, at: index) }
    } else {
      places.append(place)
    }
  }

  private func index(of place: Int) -> Int { places.partitioningIndex { $0 >= place } }
}

extension ManagedObjectContext {
  /// Notes that the end of the turn has something to do.
  @inline(__always)
  func awaitEndOfTurn() {
    if !isOnAgenda { enterAgenda() }
  }

  private func enterAgenda() {
    guard let agenda else { return }
    isOnAgenda = true
    agenda.list.note(agenda.place)
  }
}
