package import FetchedResults

/// A script's instructions for a file whose model is older than its own.
package struct ScriptMigration {
  /// Whether data may be lost that the script's entities have no place for.
  package let allowsDataLoss: Bool
  /// Returns the other versions of the model, newest first, for a file that does not say of which it
  /// is.
  package let versions: () -> [ManagedObjectModel]
  /// Called with the changes that were made.
  package let didMigrate: (MigrationReport) -> Void
}
