/// Finds out which methods a delegate implements.
extension FetchedResultsController {
  /// The methods to call; none without a delegate.
  var delegateMethods: FetchedResultsDelegateMethods {
    guard let delegate else { return [] }
    let methods = delegate.implementedMethods
    guard methods.contains(.automatic) else { return methods }
    return FetchedResultsDelegateMethods.all.subtracting(unimplementedMethods)
  }

  /// Notes that the delegate has a method's default implementation only.
  ///
  /// One that the delegate calls itself, as part of another method, means nothing.
  package func noteUnimplemented(_ method: FetchedResultsDelegateMethods) {
    guard calledMethod == method else { return }
    unimplementedMethods.insert(method)
  }

  /// Calls a delegate's method, whose default implementation is then heard.
  func calling<Result>(_ method: FetchedResultsDelegateMethods, _ body: () -> Result) -> Result {
    let outer = calledMethod
    calledMethod = method
    defer { calledMethod = outer }
    return body()
  }

  /// Begins with a new delegate, of which nothing is known.
  func learnMethods() {
    unimplementedMethods = []
    guard let state, state.trackingError == nil else { return }
    learnNewerMethods(in: state)
  }

  /// Asks a delegate that lists no methods for the two that exclude others, before a batch has to be
  /// told by one of them.
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
