public import FetchedResults
public import Foundation

extension PersistentContainer {
  /// Creates a container with a store in a SQLite file of Core Data's layout.
  ///
  /// The file is created if there is none. It is opened here once, so that an error is found, and
  /// an older file migrated, before the first context is used.
  ///
  /// ```swift
  /// let container = try PersistentContainer(
  ///   managedObjectModel: model, sqliteStoreAt: url, migration: .inferred()
  /// ) { coordinator in
  ///   guard let book = coordinator.managedObjectModel.entitiesByName["Book"] else { return }
  ///   var hooks = ManagedObjectHooks()
  ///   hooks.awakeFromInsert = { $0["added"] = .date(Date()) }
  ///   coordinator.setHooks(hooks, of: book)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - managedObjectModel: The entities of the objects in it.
  ///   - url: Where the file is.
  ///   - tracksHistory: Whether each save is noted in the file's history.
  ///   - migration: What to do with a file of an older model, now. By default it is refused.
  ///   - durability: What a save waits for.
  ///   - setUp: Sets the hooks, the classes and the handler of a coordinator. Each context has a
  ///     coordinator of its own, so the closure is called for each, on the context's actor.
  ///     Background tasks share what it sets.
  /// - Throws: ``StoreError``.
  public convenience init(
    managedObjectModel: ManagedObjectModel, sqliteStoreAt url: URL, tracksHistory: Bool = false,
    migration: StoreMigration = .none, durability: StoreDurability = .full,
    setUp: @escaping @Sendable (PersistentStoreCoordinator) -> Void = { _ in }
  ) throws(StoreError) {
    _ = try SQLiteStore(
      model: managedObjectModel, path: url.path, name: url.lastPathComponent, migration: migration)
    self.init(managedObjectModel: managedObjectModel) { () throws(StoreError) in
      let coordinator = try PersistentStoreCoordinator(
        managedObjectModel: managedObjectModel, sqliteStoreAt: url, tracksHistory: tracksHistory,
        durability: durability)
      setUp(coordinator)
      return coordinator
    }
  }
}
