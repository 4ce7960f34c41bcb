package import FetchedResults
package import ScriptSyntax

/// What a script's run takes from its surroundings.
///
/// The interpreter itself opens no file, reads no clock and knows no terminal.
package protocol ScriptEnvironment: AnyObject {
  /// Returns what another session takes from the same surroundings.
  ///
  /// Where the stores that scripts make are nobody else's, as in a test, the
  /// session has its own, which go with the environment.
  func newSession() -> any ScriptEnvironment

  /// Returns a script's text.
  ///
  /// - Parameters:
  ///   - path: As the script writes it.
  ///   - includer: The name of the source that says `include`.
  /// - Returns: The text under a name that is always the same for one file,
  ///   so that a file that includes itself is found.
  /// - Throws: ``UnreadableSource``.
  func source(at path: String, includedFrom includer: String) throws(UnreadableSource) -> SourceText

  /// Returns the bytes of a regular file that is not a script, such as a model's.
  ///
  /// The path is found as a script's is. Pipes, devices and files that are too
  /// large to be a model are refused.
  func contents(at path: String, includedFrom includer: String) throws(UnreadableSource) -> [UInt8]

  /// Opens a file that is read piece by piece, such as one to import.
  ///
  /// The path is found as a script's is.
  func reader(at path: String, includedFrom includer: String) throws(UnreadableSource)
    -> any PieceReader

  /// Returns the names of what is in a folder, or nil if there is no folder of the path.
  func names(inFolder path: String, includedFrom includer: String) -> [String]?

  /// Opens a store in a file, or makes the file.
  ///
  /// The path is found as a script's is.
  ///
  /// - Parameter migration: What becomes of a file of an older model; nil if it is refused.
  func store(
    at path: String, includedFrom includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore

  /// Says how much of a store in a file each of some models describes; nil for a
  /// model that does not fit it.
  ///
  /// - Returns: Nothing where that cannot be told.
  func fits(
    of models: [ManagedObjectModel], storeAt path: String, includedFrom includer: String,
    isReadOnly: Bool
  ) -> [Int?]

  /// Waits until a person asks for the next step of a turn.
  ///
  /// - Parameter step: The number of the step that was shown, counted from 1.
  /// - Returns: Whether to wait at the steps that follow.
  func awaitStep(_ step: Int) -> Bool

  /// Returns where a store's section caches are kept; nil for memory.
  func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)?

  /// Is told how far an import is.
  func showProgress(_ progress: ImportProgress)

  /// Is told that an import is over.
  func endProgress()

  /// Whether the user asked for the running statement to stop.
  var isInterrupted: Bool { get }

  /// Whether what is printed may depend on how long something took; it may not
  /// where output has to be the same twice.
  var measuresTime: Bool { get }

  /// How many bytes of memory the process uses; nil if unknown, or where output
  /// must not depend on it.
  var memoryInUse: Int? { get }
}

extension ScriptEnvironment {
  /// The same environment: every session uses the same files.
  package func newSession() -> any ScriptEnvironment { self }

  /// There are no files.
  package func contents(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> [UInt8] {
    throw UnreadableSource(reason: "no such file")
  }

  /// The whole file is one piece.
  package func reader(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> any PieceReader {
    WholeReader(try contents(at: path, includedFrom: includer))
  }

  /// There are no files.
  package func store(
    at path: String, includedFrom includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    throw .unusable(store: path, reason: "there are no files here")
  }

  /// There are no files.
  package func fits(
    of models: [ManagedObjectModel], storeAt path: String, includedFrom includer: String,
    isReadOnly: Bool
  ) -> [Int?] {
    []
  }

  /// Nobody is there who could be waited for.
  package func awaitStep(_ step: Int) -> Bool { false }

  /// False.
  package var measuresTime: Bool { false }

  /// Nil.
  package var memoryInUse: Int? { nil }

  /// There are no folders.
  package func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)? { nil }

  /// There are no folders.
  package func names(inFolder path: String, includedFrom includer: String) -> [String]? { nil }
}

extension ScriptEnvironment {
  /// Nobody looks.
  package func showProgress(_ progress: ImportProgress) {}

  package func endProgress() {}
}

/// How far an import is.
package struct ImportProgress: Hashable, Sendable {
  /// The file as the script calls it.
  package let file: String
  package let bytesRead: Int
  /// How long the file is; nil if unknown.
  package let byteCount: Int?
  /// How many objects were made of it.
  package let objects: Int

  package init(file: String, bytesRead: Int, byteCount: Int?, objects: Int) {
    self.file = file
    self.bytesRead = bytesRead
    self.byteCount = byteCount
    self.objects = objects
  }
}

/// Gives the bytes of a file, piece by piece.
package protocol PieceReader: AnyObject {
  /// How many bytes there are; nil if unknown.
  var byteCount: Int? { get }

  /// Returns the next bytes, or nil at the end.
  func read() throws(UnreadableSource) -> [UInt8]?
}

extension PieceReader {
  package var byteCount: Int? { nil }
}

/// Gives all bytes at once.
private final class WholeReader: PieceReader {
  private var bytes: [UInt8]?

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read() -> [UInt8]? {
    defer { bytes = nil }
    return bytes
  }
}

/// A file that cannot be read, and why, in words.
package struct UnreadableSource: Error, Hashable, Sendable {
  package let reason: String

  package init(reason: String) { self.reason = reason }
}
