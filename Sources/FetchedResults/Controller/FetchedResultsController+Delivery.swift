/// How a controller delivers a batch to its delegate.
enum DeliveryStyle {
  /// By the classic callbacks that the delegate implements.
  case callbacks(any FetchedResultsControllerDelegate, FetchedResultsDelegateMethods)
  case snapshot(any FetchedResultsControllerDelegate)
  case difference(any FetchedResultsControllerDelegate)
}

extension FetchedResultsController {
  /// How the delegate receives changes; nil if there is no delegate that does.
  ///
  /// The snapshot method excludes every other. So does the difference method, if there is no
  /// section key path.
  var deliveryStyle: DeliveryStyle? {
    guard let delegate else { return nil }
    let methods = delegateMethods
    if methods.contains(.snapshot) { return .snapshot(delegate) }
    if methods.contains(.difference), sectionNameKeyPath == nil { return .difference(delegate) }
    let isTracking = !methods.isDisjoint(with: [.changes, .difference])
    return isTracking ? .callbacks(delegate, methods) : nil
  }

  /// Sends the results of a fetch to a delegate that takes snapshots.
  ///
  /// If the delegate has a method that cannot be called, the console gets a line.
  func announceFetch() {
    defer { tellObserversAll() }
    guard let delegate, let state else { return }
    let methods = delegate.implementedMethods
    if methods.contains(.automatic) {
      learnNewerMethods(in: state)
    } else if methods.contains(.snapshot) {
      deliverSnapshot(of: state, reloaded: [], to: delegate)
    } else if methods.contains(.difference), sectionNameKeyPath != nil {
      managedObjectContext.console?(
        "CoreData: warning: (NSFetchedResultsController) "
          + "controller:didChangeContentWithDifference: is not called, since the controller has a "
          + "section name key path")
    }
  }
}

extension FetchedResultsController {
  /// Sends the present results to a delegate as a snapshot.
  func deliverSnapshot(
    of state: FetchedState, reloaded: [Int64], to delegate: any FetchedResultsControllerDelegate
  ) {
    let snapshot = state.snapshot(reloaded: reloaded)
    state.toldTemporary = Set(snapshot.temporaryItemIdentifiers.map(\.number))
    calling(.snapshot) { delegate.controller(self, didChangeContentWith: snapshot) }
  }

  /// Sends another snapshot after a save made temporary identities permanent.
  ///
  /// The identities in a snapshot are values, so those of the last snapshot no longer lead to
  /// objects.
  func announcePermanentIDs() {
    guard let delegate, let state, state.trackingError == nil, !state.toldTemporary.isEmpty,
      case .snapshot? = deliveryStyle
    else { return }
    let isSaved = state.toldTemporary.contains { number in
      guard state.results.contains(number),
        let object = managedObjectContext.registered(number, in: state.root)
      else { return false }
      return !object.isDeleted && !object.hasTemporaryID
    }
    if isSaved { deliverSnapshot(of: state, reloaded: [], to: delegate) }
  }

  func deliver(
    _ outcome: BatchOutcome, to delegate: any FetchedResultsControllerDelegate,
    _ methods: FetchedResultsDelegateMethods, _ state: FetchedState
  ) {
    let decision = outcome.decision
    func deliver(_ changes: [ResultsDecision.RowChange]) {
      for change in changes {
        let object = change.place.map { outcome.objects[$0] } ?? state.object(change.number)
        calling(.didChangeObject) {
          delegate.controller(
            self, didChange: object, at: change.indexPath, for: change.kind.type,
            newIndexPath: change.newIndexPath)
        }
      }
    }
    let sections = methods.contains(.didChangeSection)
    if methods.contains(.didChangeObject) { deliver(decision.deletes) }
    if sections {
      for change in decision.sectionDeletes {
        let info = FetchedResultsSectionInfo(deleted: change.name, controller: self)
        calling(.didChangeSection) {
          delegate.controller(self, didChange: info, atSectionIndex: change.index, for: .delete)
        }
      }
      for change in decision.sectionInserts {
        let info = FetchedResultsSectionInfo(
          section: state.results.section(named: change.key), name: change.name,
          controller: self)
        calling(.didChangeSection) {
          delegate.controller(self, didChange: info, atSectionIndex: change.index, for: .insert)
        }
      }
    }
    guard methods.contains(.didChangeObject) else { return }
    if mutation(.movesBeforeInserts) { deliver(decision.movesAndUpdates) }
    deliver(decision.inserts)
    if mutation(.movesBeforeInserts) { return }
    deliver(decision.movesAndUpdates)
  }
}

extension ResultsDecision.RowChange.Kind {
  package var type: FetchedResultsChangeType {
    switch self {
    case .insert: .insert
    case .delete: .delete
    case .move: .move
    case .update: .update
    }
  }
}
