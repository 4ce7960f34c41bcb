/// Finds out which methods a delegate implements.
extension FetchedResultsController {
  /// The methods to call; none without a delegate.
  var delegateMethods: FetchedResultsDelegateMethods {
    guard let delegate else { return [] }
    let methods = delegate.implementedMethods
    guard methods.contains(.automatic) else { return methods }
    return FetchedResultsDelegateMethods.all.subtracting(unimplementedMethods)
  }

  /// Notes that the delegate has only the default implementation of a method.
  ///
  /// Calls that the delegate makes itself, inside another method, do not count.
  package func noteUnimplemented(_ method: FetchedResultsDelegateMethods) {
    guard calledMethod == method else { return }
    unimplementedMethods.insert(method)
  }

  /// Calls a method of the delegate, and notices if it is the default implementation.
  func calling<Result>(_ method: FetchedResultsDelegateMethods, _ body: () -> Result) -> Result {
    let outer = calledMethod
    calledMethod = method
    defer { calledMethod = outer }
    return body()
  }

  /// Forgets which methods the old delegate implements.
  func learnMethods() {
    unimplementedMethods = []
    guard let state, state.trackingError == nil else { return }
    learnNewerMethods(in: state)
  }

  /// Calls the two methods that exclude others on a delegate that lists no methods, before a batch
  /// has to be delivered.
  func learnNewerMethods(in state: FetchedState) {
    guard let delegate, delegate.implementedMethods.contains(.automatic) else { return }
    if delegateMethods.contains(.snapshot) {
      deliverSnapshot(of: state, reloaded: [], to: delegate)
      guard unimplementedMethods.contains(.snapshot) else { return }
      state.toldTemporary = []
    }
    guard delegateMethods.contains(.difference), sectionNameKeyPath == nil else { return }
    let nothing = [ObjectID]().difference(from: [])
    calling(.difference) { delegate.controller(self, didChangeContentWith: nothing) }
  }
}

extension FetchedResultsDelegateMethods {
  /// All methods of a delegate.
  static let all: Self = [.changes, .sectionIndexTitle, .snapshot, .difference]
}
