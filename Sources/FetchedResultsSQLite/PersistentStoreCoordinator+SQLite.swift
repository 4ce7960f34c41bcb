public import FetchedResults
public import Foundation

extension PersistentStoreCoordinator {
  /// Creates a coordinator on a store in a SQLite file of Core Data's layout,
  /// which is made where there is none.
  ///
  /// - Parameters:
  ///   - managedObjectModel: The entities of the objects in it.
  ///   - url: Where the file is.
  ///   - isReadOnly: Whether the file must not change. A copy is read then.
  /// - Throws: ``StoreError/unusable(store:reason:)``.
  public convenience init(
    managedObjectModel: ManagedObjectModel, sqliteStoreAt url: URL, isReadOnly: Bool = false
  ) throws(StoreError) {
    self.init(
      managedObjectModel: managedObjectModel,
      store: try SQLiteStore(
        model: managedObjectModel, path: url.path, name: url.lastPathComponent,
        isReadOnly: isReadOnly),
      sectionCaches: InMemorySectionCaches())
  }
}
