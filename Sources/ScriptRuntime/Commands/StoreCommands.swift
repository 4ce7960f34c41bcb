import FetchedResults
import ScriptSyntax

/// A store that a script named, and where; it opens when it is needed.
struct AwaitedStore {
  let path: String
  let isReadOnly: Bool
  /// Where the store is named; nil where the command line does.
  let range: Range<Int>?
  let source: SourceText
}

extension Interpreter {
  /// Names the session's store, as `--store` does; the path is relative to the
  /// current folder.
  package func useStore(at path: String) {
    awaitedStore = AwaitedStore(
      path: path, isReadOnly: false, range: nil, source: SourceText(name: "", text: ""))
  }

  /// `store sqlite "library.sqlite" readonly`.
  func name(store path: ExpressionSyntax, isReadOnly: Bool) throws(ScriptError) {
    try refuseSecondStore(path.range)
    awaitedStore = AwaitedStore(
      path: try string(path), isReadOnly: isReadOnly, range: path.range, source: source)
  }

  /// `store memory`.
  func useMemory(_ range: Range<Int>) throws(ScriptError) {
    if let name = session.openStore { throw failure(.storeIsOpen(name), range) }
    awaitedStore = nil
  }

  private func refuseSecondStore(_ range: Range<Int>) throws(ScriptError) {
    if let name = session.openStore { throw failure(.storeIsOpen(name), range) }
    let store = session.coordinator.store
    guard session.entities.allSatisfy({ store.lastNumber(in: $0.root) == 0 }) else {
      throw failure(.objectsInMemory, range)
    }
  }

  /// Refuses entities that an open file has no tables for.
  func refuseEntities(_ range: Range<Int>) throws(ScriptError) {
    if let name = session.openStore { throw failure(.storeIsOpen(name), range) }
  }

  /// Opens the store that was named, now that the entities are known.
  ///
  /// Where it cannot be opened, the place is where it was named.
  func openAwaitedStore(for range: Range<Int>) throws(ScriptError) {
    guard let awaited = awaitedStore, !session.entities.isEmpty else { return }
    for entity in session.entities {
      // A store in memory finds out when an object is made.
      try locating(range) {
        for ordinal in entity.relationships.indices { _ = try entity.link(at: ordinal) }
      }
    }
    do throws(StoreError) {
      let store = try environment.store(
        at: awaited.path, includedFrom: awaited.source.name, isReadOnly: awaited.isReadOnly,
        for: session.coordinator.managedObjectModel)
      session.coordinator.use(store, sectionCaches: environment.sectionCaches(for: store))
    } catch {
      var words = "\(error)"
      if let version = versionFitting(awaited) { words += "; version '\(version)' fits" }
      guard let place = awaited.range else { throw failure(.engine(words), range) }
      throw ScriptError(.engine(words), range: place, source: awaited.source)
    }
    session.openStore = awaited.path
    session.coordinator.store.keepsStatements = session.showsStatements
    awaitedStore = nil
  }
}

extension Statement.Kind {
  /// Whether a statement looks at objects, and with them at the store.
  ///
  /// What holds other statements leaves it to them, but for what stands in its
  /// head.
  var needsStore: Bool {
    switch self {
    case .entity, .model, .storeMemory, .storeSQLite, .context, .automerge, .try, .perform,
      .request, .storedRequest, .showModel, .return, .table, .suspend, .resume, .reload, .trace,
      .explain, .swift, .quirk:
      false
    case .let(_, let value), .print(let value), .expect(let value), .for(_, in: let value, _),
      .if(let value, then: _, else: _), .repeat(let value, _), .include(let value),
      .set(_, let value):
      value.looksAtObjects
    case .save, .rollback, .reset, .process, .merge, .refresh, .refreshAll, .undo, .redo, .insert,
      .importRows, .assign, .update, .delete, .deleteMatching, .controller, .fetch, .count,
      .change, .delegate, .ownDelegate, .deleteCache, .deleteCaches, .show, .showRequest, .objects,
      .caches, .stats, .evaluate:
      true
    }
  }
}

extension ExpressionSyntax {
  /// Whether the value takes a look at the store.
  ///
  /// A variable that holds an object and a controller look too, but are there
  /// only where the store is open.
  fileprivate var looksAtObjects: Bool {
    switch kind {
    case .object, .count, .insert, .fetch: true
    case .null, .boolean, .integer, .real, .date, .name, .variable: false
    case .string(let parts):
      parts.contains { part in
        if case .interpolation(let value) = part { value.looksAtObjects } else { false }
      }
    case .list(let elements): elements.contains(where: \.looksAtObjects)
    case .range(let left, let right, _), .binary(let left, _, let right):
      left.looksAtObjects || right.looksAtObjects
    case .negation(let value), .not(let value), .member(let value, _): value.looksAtObjects
    case .index(let value, let indices):
      ([value] + indices).contains(where: \.looksAtObjects)
    case .call(_, let arguments): arguments.contains { $0.value.looksAtObjects }
    case .methodCall(let value, _, let arguments):
      value.looksAtObjects || arguments.contains { $0.value.looksAtObjects }
    }
  }
}
