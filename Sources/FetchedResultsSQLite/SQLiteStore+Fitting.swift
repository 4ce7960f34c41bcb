package import FetchedResults
import GRDB
import Platform

extension SQLiteStore {
  /// The largest file, in bytes, that is copied to find out which model fits.
  private static let mostCopied = 256 << 20

  /// Returns how much of a file each of some models describes, by tables and columns.
  ///
  /// Only the file's schema is read.
  ///
  /// - Parameter isReadOnly: Whether neither the file nor the files that SQLite keeps beside it may
  ///   change. If so, a copy is read, unless the file is too large.
  /// - Returns: For each model the number of columns and join tables, or nil if it does not fit.
  ///   Empty if the file cannot be read.
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
