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
  ///   - maximumBackgroundTasks: How many background tasks run at the same time, each with a
  ///     connection of its own. Their fetches do not wait for each other, and not for saves.
  ///   - setUp: Sets the hooks, the classes and the handler of a coordinator. Each context has a
  ///     coordinator of its own, so the closure is called for each, on the context's actor.
  ///     Background tasks share what it sets.
  /// - Throws: ``StoreError``, also for a URL that leads to no file.
  public convenience init(
    managedObjectModel: ManagedObjectModel, sqliteStoreAt url: URL, tracksHistory: Bool = false,
    migration: StoreMigration = .none, durability: StoreDurability = .full,
    maximumBackgroundTasks: Int = 16,
    setUp: @escaping @Sendable (PersistentStoreCoordinator) -> Void = { _ in }
  ) throws(StoreError) {
    let path = try url.storePath
    _ = try SQLiteStore(
      model: managedObjectModel, path: path, name: url.lastPathComponent, migration: migration)
    let numbers = NumberSource()
    self.init(
      managedObjectModel: managedObjectModel, maximumBackgroundTasks: maximumBackgroundTasks
    ) { () throws(StoreError) in
      let store = try SQLiteStore(
        model: managedObjectModel, path: path, name: url.lastPathComponent, isReadOnly: false,
        migration: .none, durability: durability, numbers: numbers)
      if tracksHistory { try store.trackHistory() }
      let coordinator = PersistentStoreCoordinator(
        managedObjectModel: managedObjectModel, store: store)
      setUp(coordinator)
      return coordinator
    }
  }
}

extension PersistentStoreCoordinator {
  /// Creates a coordinator with a store in a SQLite file of Core Data's layout.
  ///
  /// The file is created if there is none.
  ///
  /// - Parameters:
  ///   - managedObjectModel: The entities of the objects in it.
  ///   - url: Where the file is.
  ///   - isReadOnly: Whether the file must not change. A copy is read then.
  ///   - tracksHistory: Whether each save is noted in the file's history, as with
  ///     NSPersistentHistoryTrackingKey. A file that already has a history keeps it in any case.
  ///   - migration: What to do with a file of an older model. By default it is refused, as without
  ///     NSMigratePersistentStoresAutomaticallyOption.
  ///   - durability: What a save waits for.
  ///   - caches: The folder for section caches, created with the first cache; nil to keep them in
  ///     memory.
  /// - Throws: ``StoreError/unusable(store:reason:)``, or ``StoreError/migration(store:_:)`` if a
  ///   file cannot be migrated.
  public convenience init(
    managedObjectModel: ManagedObjectModel, sqliteStoreAt url: URL, isReadOnly: Bool = false,
    tracksHistory: Bool = false, migration: StoreMigration = .none,
    durability: StoreDurability = .full, sectionCachesIn caches: URL? = nil
  ) throws(StoreError) {
    let store = try SQLiteStore(
      model: managedObjectModel, path: try url.storePath, name: url.lastPathComponent,
      isReadOnly: isReadOnly, migration: migration, durability: durability)
    if tracksHistory { try store.trackHistory() }
    self.init(
      managedObjectModel: managedObjectModel, store: store,
      sectionCaches: caches.map { FolderSectionCaches(folder: $0, store: store) })
  }
}

extension URL {
  /// The path of a store's file, for a URL of a file or one without a scheme.
  fileprivate var storePath: String {
    get throws(StoreError) {
      guard isFileURL || scheme == nil else {
        throw .unusable(
          store: absoluteString, reason: "a store is in a file; write URL(filePath:)")
      }
      return path
    }
  }
}

/// The protection of the saves in a SQLite file against a power failure.
///
/// In all cases a save survives a crash of the program.
public enum StoreDurability: Hashable, Sendable {
  /// A save ends when the disk has it, so it survives a power failure. This is the default.
  case full
  /// A save does not wait for the disk, and a power failure leaves a whole file.
  ///
  /// The last saves before a power failure may be missing in the file afterwards. Many small saves
  /// are several times as fast. A file that has no write-ahead log keeps ``full``, because a power
  /// failure could damage it; files that this library or Core Data makes have one.
  case normal
  /// Nothing waits for the disk, so a power failure may damage the file.
  ///
  /// Use it for files that you can make again, such as those of tests.
  case off
}
