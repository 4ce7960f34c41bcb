public import FetchedResults
public import Foundation

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
      model: managedObjectModel, path: url.path, name: url.lastPathComponent,
      isReadOnly: isReadOnly, migration: migration, durability: durability)
    if tracksHistory { try store.trackHistory() }
    self.init(
      managedObjectModel: managedObjectModel, store: store,
      sectionCaches: caches.map { FolderSectionCaches(folder: $0, store: store) })
  }
}
