package import FetchedResults
import GRDB
import Platform

extension SQLiteStore {
  /// A file that is larger is not copied to find out what fits it, in bytes.
  private static let mostCopied = 256 << 20

  /// Says how much of a file each of some models describes, by its tables and
  /// columns; nothing is read but the file's schema.
  ///
  /// - Parameter isReadOnly: Whether neither the file nor what SQLite keeps
  ///   beside it may change. A copy is looked at then, of a file that is not too
  ///   large for that.
  /// - Returns: For each model the number of columns and join tables, or nil if it does not fit;
  ///   nothing where the file cannot be looked at.
  package static func fits(
    of models: [ManagedObjectModel], path: String, isReadOnly: Bool
  ) -> [Int?] {
    guard let status = try? FileStatus(path), status.kind == .regular, status.size > 0 else {
      return []
    }
    if isReadOnly, status.size > mostCopied { return [] }
    do {
      let copy = isReadOnly ? try PrivateCopy(of: path) : nil
      let queue = try DatabaseQueue(path: copy?.path ?? path)
      return try queue.read { database in
        let schema = try StoreSchema(database)
        return models.map { model in
          guard let layout = try? StoreLayout(model, file: schema),
            (try? schema.check(layout)) != nil
          else { return nil }
          return layout.tables.reduce(layout.joins.count) { $0 + $1.columns.count }
        }
      }
    } catch {
      return []
    }
  }
}
