public import FetchedResults
public import Foundation

extension PersistentContainer {
  /// Creates a container with a store in a SQLite file of Core Data's layout, which is made
  /// where there is none.
  ///
  /// The file is opened here once, so that a file that cannot be used is found before the first
  /// context.
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
