package import FetchedResults
import GRDB
import Platform

/// What became of a file that others write.
package enum FollowedFile: Hashable, Sendable {
  /// It was read again.
  case read
  /// There is none at its path.
  case removed
  /// Another store is at its path, or its tables are others.
  case replaced
}

extension SQLiteStore {
  /// Reads the file once more as it is now, of which a store that is only read has a copy.
  ///
  /// The writer never waits for it. Contexts then merge what is new, as of a file that another
  /// process has saved into.
  ///
  /// - Returns: Whether it is still the file that was opened; if it is not, nothing has changed
  ///   here.
  /// - Throws: ``StoreError`` if it cannot be read: this time, if someone writes to it all the
  ///   time.
  /// - Precondition: The store was opened to be read only.
  /// - Complexity: O(*n*) in the bytes of the file.
  package func readAgain() throws(StoreError) -> FollowedFile {
    precondition(isReadOnly, "a store that may be written is not a copy")
    do {
      guard let status = try? FileStatus(path) else { return .removed }
      guard status.identity == identity else { return .replaced }
      let copy = try PrivateCopy(of: path)
      let queue = try DatabaseQueue(
        path: copy.path, configuration: OpenedFile.configuration(functions, busyWait))
      let old = try self.queue.read { try FileMark($0) }
      let new = try queue.read { try FileMark($0) }
      copy.removeName()
      guard old == new else { return .replaced }
      source.use(queue)
      copiedStamp = nil
      foreignSaves += 1
      try source.read { try noticeSaves($0) }
      return .read
    } catch UnusableFile.noFile {
      return .removed
    } catch {
      throw StoreError(error, store: source.name)
    }
  }

  /// Whether a file holds a store, and not nothing yet.
  package static func isStore(at path: String) -> Bool {
    guard let status = try? FileStatus(path), status.size > 0,
      let copy = try? PrivateCopy(of: path), let queue = try? DatabaseQueue(path: copy.path)
    else { return false }
    return (try? queue.read { try StoreSchema($0).isStore }) ?? false
  }
}

/// What tells a store from others, and from itself with other tables.
private struct FileMark: Equatable {
  let identifier: String?
  let schema: StoreSchema

  init(_ database: Database) throws {
    schema = try StoreSchema(database)
    guard schema.isStore else { throw UnusableFile.noStore }
    identifier = try Row.fetchOne(database, sql: "SELECT Z_UUID FROM Z_METADATA")?.text(0)
  }
}
