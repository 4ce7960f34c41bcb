public import FetchedResults
public import Foundation

extension PersistentContainer {
  /// Creates a container with a store in a SQLite file of Core Data's layout.
  ///
  /// The file is created if there is none. It is opened here once, so that an error is found before
  /// the first context is used.
  ///
  /// - Parameters:
  ///   - managedObjectModel: The entities of the objects in it.
  ///   - url: Where the file is.
  ///   - tracksHistory: Whether each save is noted in the file's history.
  /// - Throws: ``StoreError``.
  public convenience init(
    managedObjectModel: ManagedObjectModel, sqliteStoreAt url: URL, tracksHistory: Bool = false
  ) throws(StoreError) {
    _ = try SQLiteStore(model: managedObjectModel, path: url.path, name: url.lastPathComponent)
    self.init(managedObjectModel: managedObjectModel) { () throws(StoreError) in
      try PersistentStoreCoordinator(
        managedObjectModel: managedObjectModel, sqliteStoreAt: url, tracksHistory: tracksHistory)
    }
  }
}
