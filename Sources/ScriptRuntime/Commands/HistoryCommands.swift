import FetchedResults
import ScriptSyntax

/// Statements on the store's history, and on what other processes do.
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

  /// `extension "widget" { … }`: a process that starts, works on the file of the store, and ends.
  ///
  /// What it has not saved is lost, as in a process.
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

  /// Returns the token of the transaction of a number.
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
