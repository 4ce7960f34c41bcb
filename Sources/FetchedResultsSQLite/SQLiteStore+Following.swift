package import FetchedResults
import GRDB
import Platform

/// The result of rereading a file that other processes write.
package enum FollowedFile: Hashable, Sendable {
  /// The file was read again.
  case read
  /// There is no file at the path.
  case removed
  /// There is another store at the path, or its tables have changed.
  case replaced
}

extension SQLiteStore {
  /// Reads the current state of a file whose read-only store holds an older copy.
  ///
  /// The process that writes the file never waits for it. Contexts then merge the changes, as if
  /// another process had saved.
  ///
  /// - Returns: Whether it is still the file that was opened. If not, nothing has changed here.
  /// - Throws: ``StoreError`` if it cannot be read, for example because other processes write to it
  ///   all the time.
  /// - Precondition: The store was opened read-only.
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

  /// Whether a file holds a store.
  ///
  /// An empty file does not yet.
  package static func isStore(at path: String) -> Bool {
    guard let status = try? FileStatus(path), status.size > 0,
      let copy = try? PrivateCopy(of: path), let queue = try? DatabaseQueue(path: copy.path)
    else { return false }
    return (try? queue.read { try StoreSchema($0).isStore }) ?? false
  }
}

/// What distinguishes a store from others, and from itself with other tables.
private struct FileMark: Equatable {
  let identifier: String?
  let schema: StoreSchema

  init(_ database: Database) throws {
    schema = try StoreSchema(database)
    guard schema.isStore else { throw UnusableFile.noStore }
    identifier = try Row.fetchOne(database, sql: "SELECT Z_UUID FROM Z_METADATA")?.text(0)
  }
}
