package import FetchedResults
package import ScriptSyntax

/// Everything that a running script gets from outside: files, time measurement, and interruption.
///
/// The interpreter itself opens no file, reads no clock and knows no terminal.
package protocol ScriptEnvironment: AnyObject {
  /// Returns the environment of another session.
  ///
  /// If the stores of scripts are temporary, as in a test, the session gets stores of its own,
  /// which are removed with the environment.
  func newSession() -> any ScriptEnvironment

  /// Returns a script's text.
  ///
  /// - Parameters:
  ///   - path: The path as the script writes it.
  ///   - includer: The name of the source with the `include`.
  /// - Returns: The text. Its name is always the same for the same file, so that a file that
  ///   includes itself is noticed.
  /// - Throws: ``UnreadableSource``.
  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText

  /// Returns the bytes of a regular file that is not a script, such as a model's.
  ///
  /// The path is resolved like a script's. Pipes, devices, and files that are too large to be a
  /// model are refused.
  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8]

  /// Opens a file that is read piece by piece, such as one to import.
  ///
  /// The path is resolved like a script's.
  func reader(at path: String, from includer: String) throws(UnreadableSource)
    -> any PieceReader

  /// Returns the names in a folder; nil if there is no folder at the path.
  func names(inFolder path: String, from includer: String) -> [String]?

  /// Opens a store in a file, and creates the file if necessary.
  ///
  /// The path is resolved like a script's.
  ///
  /// - Parameter migration: How to migrate a file with an older model; nil to refuse such a file.
  func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore

  /// Returns how much of a store in a file each of some models describes; nil for a model that does
  /// not fit it.
  ///
  /// - Returns: An empty array if that is unknown.
  func fits(
    of models: [ManagedObjectModel], storeAt path: String, from includer: String,
    isReadOnly: Bool
  ) -> [Int?]

  /// Waits until the user asks for the next step of a turn.
  ///
  /// - Parameter step: The number of the step that was shown, counted from 1.
  /// - Returns: Whether to wait at the following steps.
  func awaitStep(_ step: Int) -> Bool

  /// Returns the place for a store's section caches; nil for memory.
  func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)?

  /// Called with the progress of an import.
  func showProgress(_ progress: ImportProgress)

  /// Called when an import is over.
  func endProgress()

  /// Whether the user asked to stop the running statement.
  var isInterrupted: Bool { get }

  /// Whether output may contain measured times. It may not if the output must be the same each
  /// time.
  var measuresTime: Bool { get }

  /// The memory that the process uses, in bytes; nil if it is unknown, or if output must not depend
  /// on it.
  var memoryInUse: Int? { get }
}

extension ScriptEnvironment {
  /// Returns this environment: all sessions use the same files.
  package func newSession() -> any ScriptEnvironment { self }

  /// Throws an error: there are no files.
  package func source(
    at path: String, from includer: String
  ) throws(UnreadableSource) -> SourceText {
    throw UnreadableSource(reason: "no such file")
  }

  /// Throws an error: there are no files.
  package func contents(
    at path: String, from includer: String
  ) throws(UnreadableSource) -> [UInt8] {
    throw UnreadableSource(reason: "no such file")
  }

  /// Returns a reader with the whole file as one piece.
  package func reader(
    at path: String, from includer: String
  ) throws(UnreadableSource) -> any PieceReader {
    WholeReader(try contents(at: path, from: includer))
  }

  /// Throws an error: there are no files.
  package func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    throw .unusable(store: path, reason: "there are no files here")
  }

  /// Returns an empty array: there are no files.
  package func fits(
    of models: [ManagedObjectModel], storeAt path: String, from includer: String,
    isReadOnly: Bool
  ) -> [Int?] {
    []
  }

  /// Returns false: there is no user to wait for.
  package func awaitStep(_ step: Int) -> Bool { false }

  /// False by default.
  package var isInterrupted: Bool { false }

  /// False by default.
  package var measuresTime: Bool { false }

  /// Nil by default.
  package var memoryInUse: Int? { nil }

  /// Returns nil: there are no folders.
  package func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)? { nil }

  /// Returns nil: there are no folders.
  package func names(inFolder path: String, from includer: String) -> [String]? { nil }
}

/// An environment with the files and stores of another one.
package protocol FilesOfAnother: ScriptEnvironment {
  /// The other environment.
  var base: any ScriptEnvironment { get }
}

extension FilesOfAnother {
  package func source(
    at path: String, from includer: String
  ) throws(UnreadableSource) -> SourceText {
    try base.source(at: path, from: includer)
  }

  package func contents(
    at path: String, from includer: String
  ) throws(UnreadableSource) -> [UInt8] {
    try base.contents(at: path, from: includer)
  }

  package func reader(
    at path: String, from includer: String
  ) throws(UnreadableSource) -> any PieceReader {
    try base.reader(at: path, from: includer)
  }

  package func names(inFolder path: String, from includer: String) -> [String]? {
    base.names(inFolder: path, from: includer)
  }

  package func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    try base.store(
      at: path, from: includer, isReadOnly: isReadOnly, for: model, migration: migration)
  }

  package func fits(
    of models: [ManagedObjectModel], storeAt path: String, from includer: String,
    isReadOnly: Bool
  ) -> [Int?] {
    base.fits(of: models, storeAt: path, from: includer, isReadOnly: isReadOnly)
  }

  package func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)? {
    base.sectionCaches(for: store)
  }
}

extension ScriptEnvironment {
  /// Does nothing.
  package func showProgress(_ progress: ImportProgress) {}

  package func endProgress() {}
}

/// The progress of an import.
package struct ImportProgress: Hashable, Sendable {
  /// The file's path as the script writes it.
  package let file: String
  package let bytesRead: Int
  /// The size of the file in bytes; nil if unknown.
  package let byteCount: Int?
  /// The number of objects that were inserted so far.
  package let objects: Int

  package init(file: String, bytesRead: Int, byteCount: Int?, objects: Int) {
    self.file = file
    self.bytesRead = bytesRead
    self.byteCount = byteCount
    self.objects = objects
  }
}

/// Reads the bytes of a file piece by piece.
package protocol PieceReader: AnyObject {
  /// The number of bytes; nil if unknown.
  var byteCount: Int? { get }

  /// Returns the next bytes, or nil at the end.
  func read() throws(UnreadableSource) -> [UInt8]?
}

extension PieceReader {
  package var byteCount: Int? { nil }
}

/// Returns all bytes at once.
private final class WholeReader: PieceReader {
  private var bytes: [UInt8]?

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read() -> [UInt8]? {
    defer { bytes = nil }
    return bytes
  }
}

/// A file that cannot be read, with the reason.
package struct UnreadableSource: Error, Hashable, Sendable {
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

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

/// A limit on what statements may take, for sessions whose statements somebody else wrote.
///
/// The session's environment and its evaluation ask ``excess`` again and again, and stop the running
/// statement.
package protocol StatementLimit: Sendable {
  /// Records the start of a statement.
  func beginStatement()

  /// Counts an event that is kept or printed.
  func note(_ event: Event)

  /// A description of the limit that was exceeded, such as `takes more than 10 s`; nil if none was.
  var excess: String? { get }
}

extension EvaluationEnvironment {
  /// A description of what is wrong with the locale; nil if it is valid.
  package var localeWarning: String? {
    if knowsLocale { return nil }
    return "unknown locale '\(locale)'; localized comparisons use the root locale's order, "
      + "write a locale such as 'en' or 'ja'"
  }
}
