package import FetchedResults

/// What a script wants to become of a file whose model is older than its own.
package struct ScriptMigration {
  /// Whether data may go for which the script's entities have no place.
  package let allowsDataLoss: Bool
  /// Is told what was changed.
  package let didMigrate: (MigrationReport) -> Void
}
