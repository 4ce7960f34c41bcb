import FetchedResults
import ScriptSyntax

/// A store that a script named, with the place in the script.
///
/// It opens when it is needed.
struct AwaitedStore {
  let path: String
  let options: StoreOptions
  /// The place where the store is named; nil if the command line names it.
  let range: Range<Int>?
  let source: SourceText
}

/// Statements about the store, which opens when a statement needs it.
final class StoreCommands: SessionCommand {
  unowned let parts: SessionParts
  /// The store that was named, but not needed yet.
  private var awaited: AwaitedStore?
  /// The opened store; nil for one in memory.
  private var opened: AwaitedStore?
  /// The path of the store that no statement may replace.
  private var onlyPath: String?

  init(_ parts: SessionParts) { self.parts = parts }

  /// Sets the session's store, as `--store` does.
  ///
  /// The path is relative to the current folder.
  func use(path: String) {
    awaited = AwaitedStore(
      path: path, options: StoreOptions(), range: nil, source: SourceText(name: "", text: ""))
  }

  /// Sets the session's only store, which is read and never written.
  func useOnly(path: String) {
    var options = StoreOptions()
    options.isReadOnly = true
    awaited = AwaitedStore(
      path: path, options: options, range: nil, source: SourceText(name: "", text: ""))
    onlyPath = path
  }

  /// `store sqlite "library.sqlite" readonly`.
  func use(_ path: ExpressionSyntax, _ options: StoreOptions) throws(ScriptError) {
    try refuseOpenStore(path.range)
    let store = session.coordinator.store
    guard session.entities.allSatisfy({ store.lastNumber(in: $0.root) == 0 }) else {
      throw frames.failure(.file(.objectsInMemory), path.range)
    }
    awaited = AwaitedStore(
      path: try evaluator.string(path), options: options, range: path.range,
      source: frames.source)
  }

  /// `store memory`, `store memory history`.
  func useMemory(_ options: StoreOptions, _ range: Range<Int>) throws(ScriptError) {
    try refuseOpenStore(range)
    awaited = nil
    if options.tracksHistory {
      try frames.locating(range) { try session.coordinator.trackPersistentHistory() }
    }
  }

  private func refuseOpenStore(_ range: Range<Int>) throws(ScriptError) {
    if let name = session.openStore { throw frames.failure(.file(.storeIsOpen(name)), range) }
    if let onlyPath { throw frames.failure(.file(.onlyStore(onlyPath)), range) }
  }

  /// Opens the named store, now that the entities are known.
  ///
  /// If it cannot be opened, the error has the place where it was named.
  func openIfAwaited(for range: Range<Int>) throws(ScriptError) {
    guard let awaited, !session.entities.isEmpty else { return }
    for entity in session.entities {
      // A store in memory is opened when an object is made.
      try frames.locating(range) {
        for ordinal in entity.relationships.indices { _ = try entity.link(at: ordinal) }
      }
    }
    do throws(StoreError) {
      let store = try environment.store(
        at: awaited.path, from: awaited.source.name, isReadOnly: awaited.options.isReadOnly,
        for: session.coordinator.managedObjectModel, migration: migration(of: awaited))
      session.use(
        store, named: awaited.path, sectionCaches: environment.sectionCaches(for: store))
      let coordinator = session.coordinator
      if awaited.options.tracksHistory { try coordinator.trackPersistentHistory() }
      if awaited.options.tellsRemoteChanges {
        coordinator.remoteChangeHandler = { [events] token in
          events.emit(.remoteChange(transaction: token?.transactionNumber))
        }
      }
    } catch {
      var words = "\(error)"
      if case .migration(_, .dataLoss) = error {
        words += "; write 'migrate' after the path to allow it"
      }
      if let version = models.versionFitting(awaited) { words += "; version '\(version)' fits" }
      guard let place = awaited.range else { throw frames.failure(.engine(words), range) }
      throw ScriptError(.engine(words), range: place, source: awaited.source)
    }
    self.awaited = nil
    opened = awaited
  }

  /// Returns how to migrate a file whose model is older than the script's; nil if the file is only
  /// read.
  private func migration(of store: AwaitedStore) -> ScriptMigration? {
    guard onlyPath == nil else { return nil }
    return ScriptMigration(
      allowsDataLoss: store.options.migrates,
      versions: { [models] in models.otherVersions.map(\.model) }, didMigrate: show)
  }

  /// Prints what a migration did.
  private func show(_ report: MigrationReport) {
    let changes = report.changes.filter { change in
      change.kind != .removed || !report.dropped.contains { $0.isOf(change) }
    }
    for change in changes.prefix(Self.mostNotes) { events.emit(.note("migrated: \(change)")) }
    if changes.count > Self.mostNotes {
      events.emit(.note("migrated: \(changes.count - Self.mostNotes) more changes"))
    }
    // Nothing that is gone goes without a word.
    for loss in report.dropped { events.emit(.note("migrated: \(loss) dropped")) }
    for dangling in report.dangling { events.emit(.note("migrated: \(dangling)")) }
  }

  /// How many changes that lose nothing are listed, one per line.
  private static var mostNotes: Int { 12 }

  /// Opens the file of the session's store a second time, as another process does.
  func openAgain(for range: Range<Int>) throws(ScriptError) -> any PersistentStore {
    guard let opened else { throw frames.failure(.file(.memoryIsOneProcess), range) }
    guard !opened.options.isReadOnly else {
      throw frames.failure(.file(.readOnlyForAll(opened.path)), range)
    }
    do throws(StoreError) {
      return try environment.store(
        at: opened.path, from: opened.source.name, isReadOnly: false,
        for: session.coordinator.managedObjectModel, migration: nil)
    } catch {
      throw frames.failure(.engine("\(error)"), range)
    }
  }

  /// `set sql on`: sets whether the store's statements are printed.
  func showStatements(_ isOn: Bool) {
    session.showStatements(isOn)
    if isOn, session.openStore == nil, awaited == nil {
      events.emit(.note("the store in memory runs no statements"))
    }
  }
}

extension MigrationLoss {
  /// Whether the loss is what a change drops.
  fileprivate func isOf(_ change: MigrationChange) -> Bool {
    entity == change.entity && property == change.property
  }
}

/// Statements about the store's history, and about changes by other processes.
struct HistoryCommands: SessionCommand {
  let parts: SessionParts

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
    if token == nil { session.note(.deleteHistory) }
  }

  /// `merge history into main`, `merge history by "widget" into main`.
  func merge(by author: ExpressionSyntax?, into name: Name) throws(ScriptError) {
    let context = try names.context(name)
    guard context.parent == nil else {
      throw frames.failure(.mergesIntoChild(name.text, "the history"), name.range)
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
    session.note(.extension(context, author: author))
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

/// Statements that change settings of the session.
struct SettingCommands: SessionCommand {
  let parts: SessionParts

  /// `set clock @2026-11-21`, `set locale ja`.
  func set(_ setting: Statement.Setting, _ value: ExpressionSyntax) throws(ScriptError) {
    switch setting {
    case .clock:
      let date = try evaluator.scalar(value)
      guard case .date(let moment) = date else {
        throw frames.failure(.needed("a date", found: date.kind), value.range)
      }
      session.clock.stand(at: moment)
    case .locale:
      session.environment.locale = try evaluator.string(value)
      if let warning = session.environment.localeWarning { warnings.warn(warning, value.range) }
    case .policy: try setPolicy(value)
    case .author: try setAuthor(value)
    case .sql: stores.showStatements(try evaluator.truth(of: value))
    case .nilRule: session.environment.isThreeValued = try evaluator.truth(of: value)
    }
  }

  /// `set policy objectTrump`: sets how a save of the enclosing context resolves a conflict with an
  /// earlier save.
  private func setPolicy(_ value: ExpressionSyntax) throws(ScriptError) {
    let word = try evaluator.string(value)
    guard let policy = MergePolicy(rawValue: word) else {
      throw frames.failure(.needed("a merge policy", found: "'\(word)'"), value.range)
    }
    session.context.mergePolicy = policy
    session.note(.policy(session.context, policy))
  }

  /// `set author "app"`: sets the author of the enclosing context's saves; nil for none.
  private func setAuthor(_ value: ExpressionSyntax) throws(ScriptError) {
    if try evaluator.scalar(value).isNull {
      session.context.transactionAuthor = nil
    } else {
      session.context.transactionAuthor = try evaluator.string(value)
    }
    session.note(.author(session.context.transactionAuthor))
  }

  /// `quirk samePathMove on`: applies to all contexts and controllers, including later ones.
  func set(_ quirk: Statement.Quirk, isOn: Bool) {
    session.set(FetchedResultsQuirks(quirk), isOn: isOn)
  }
}

extension FetchedResultsQuirks {
  fileprivate init(_ quirk: Statement.Quirk) {
    self =
      switch quirk {
      case .samePathMove: .samePathMove
      case .updateAndMove: .updateAndMove
      case .sectionChangeAsUpdate: .sectionChangeAsUpdate
      case .snapshotsWithoutReloads: .snapshotsWithoutReloads
      case .unreadMergesLost: .unreadMergesLost
      case .countedSections: .countedSections
      case .unrelatedSavesFire: .unrelatedSavesFire
      case .deletedRowsTrap: .deletedRowsTrap
      }
  }
}
