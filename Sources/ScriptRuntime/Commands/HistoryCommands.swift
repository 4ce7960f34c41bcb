import FetchedResults
import ScriptSyntax

/// Statements about the store's history, and about changes by other processes.
struct HistoryCommands {
  let session: Session
  let frames: FrameStack
  let names: NameLookup
  let evaluator: Evaluator
  let events: EventEmitter
  let stores: StoreCommands

  /// `history`, `history by "widget" after 3`.
  func show(
    by author: ExpressionSyntax?, after number: ExpressionSyntax?, _ range: Range<Int>
  ) throws(ScriptError) {
    let author = try text(author)
    let token = try token(number)
    let transactions = try frames.locating(range) {
      try session.context.fetchHistory(after: token, author: author)
    }
    events.emit(.history(transactions))
  }

  /// `delete history`, `delete history before 3`.
  func delete(before number: ExpressionSyntax?, _ range: Range<Int>) throws(ScriptError) {
    let token = try token(number)
    try frames.locating(range) { _ = try session.context.deleteHistory(before: token) }
  }

  /// `merge history into main`, `merge history by "widget" into main`.
  func merge(by author: ExpressionSyntax?, into name: Name) throws(ScriptError) {
    let context = try names.context(name)
    guard context.parent == nil else {
      throw frames.failure(.historyIntoChild(name.text), name.range)
    }
    let author = try text(author)
    try frames.locating(name.range) { _ = try context.mergeHistory(author: author) }
  }

  /// Merges what others have saved into every context on the store.
  ///
  /// The store may know what that is, or a history may tell it. Without one, or with one that tells
  /// nothing new or has lost a part, the rows are compared with those that the contexts have.
  ///
  /// - Parameter save: What the store knows; nil if it knows nothing.
  func mergeSaves(_ save: ContextSave?, _ range: Range<Int>) throws(ScriptError) {
    var last: Int64?
    try frames.locating(range) {
      var failure: StoreError?
      for (_, context) in session.contexts where context.parent == nil {
        do throws(StoreError) {
          let number =
            if let save { try context.mergeFollowed(save) } else { try context.mergeReread() }
          if let number { last = max(last ?? 0, number) }
        } catch {
          // What one context cannot read must not keep the others from merging.
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
    }
    if let last { events.emit(.remoteChange(transaction: last)) }
  }

  /// `extension "widget" { … }`: simulates a process that starts, changes the store's file, and
  /// ends.
  ///
  /// Its unsaved changes are lost, as in a real process.
  func runExtension(
    _ author: ExpressionSyntax?, _ body: [Statement], _ range: Range<Int>,
    _ runner: some StatementRunner
  ) throws(ScriptError) {
    guard !session.isInExtension else { throw frames.failure(.nestedExtension, range) }
    let author = try text(author)
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: session.coordinator.managedObjectModel,
      store: try stores.openAgain(for: range))
    let context = ManagedObjectContext(coordinator: coordinator)
    context.transactionAuthor = author
    try session.inExtension(context) { () throws(ScriptError) in try runner.execute(body) }
  }

  private func text(_ value: ExpressionSyntax?) throws(ScriptError) -> String? {
    guard let value else { return nil }
    return try evaluator.string(value)
  }

  /// Returns the token of the transaction with a number.
  private func token(_ value: ExpressionSyntax?) throws(ScriptError) -> PersistentHistoryToken? {
    guard let value else { return nil }
    guard case .int(let number) = try evaluator.scalar(value), number >= 0 else {
      throw frames.failure(
        .needed("the number of a transaction", found: try evaluator.scalar(value).kind),
        value.range)
    }
    return PersistentHistoryToken(
      storeID: session.coordinator.store.identifier, transactionNumber: number)
  }
}
