import FetchedResults
import FetchedResultsSQLite
import Foundation
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// Provides scripts with files, and reports Ctrl-C.
final class FileEnvironment: ScriptEnvironment {
  /// The folder for stores that a script names without a folder; nil for the script's own folder.
  private let storeFolder: ScratchFolder?

  /// The path of a store that is copied into the folder for stores when a script first uses it.
  private let copiedStore: String?

  /// Asks the user for the next step; nil if there is no user.
  var askForStep: ((_ step: Int) -> Bool)?
  /// Whether the progress of an import may be drawn on the terminal.
  var showsProgress = true
  /// The folder of section caches; nil for the folder of stores if there is one, or for memory.
  private let cacheFolder: String?
  private var permissions: Permissions
  /// The limit for the statements; nil for none.
  private let limit: SessionLimit?
  /// Scripts that are part of the program, by the paths of files that they stand for.
  private let texts: [String: String]

  init(
    permissions: Permissions = .workingFolder, storeFolder: ScratchFolder? = nil,
    copiedStore: String? = nil, cacheFolder: String? = nil, limit: SessionLimit? = nil,
    texts: [String: String] = [:]
  ) {
    self.texts = texts
    self.permissions = permissions
    self.limit = limit
    self.storeFolder = storeFolder
    self.copiedStore = copiedStore
    self.cacheFolder = cacheFolder
  }

  /// Returns an environment for another session.
  ///
  /// If stores are temporary, it has a folder of its own for them.
  func newSession() -> any ScriptEnvironment {
    guard storeFolder != nil else { return self }
    let session = FileEnvironment(
      permissions: permissions, storeFolder: ScratchFolder(), copiedStore: copiedStore,
      cacheFolder: cacheFolder, limit: limit, texts: texts)
    session.askForStep = askForStep
    return session
  }

  /// Returns an environment with the same permissions, and with a temporary folder for stores.
  func asTest() -> FileEnvironment {
    FileEnvironment(permissions: permissions, storeFolder: ScratchFolder())
  }

  private lazy var progressBar = ProgressBar()

  /// The name of each script by the bytes of its real path, so that `./a.frc` and an included
  /// `a.frc` are recognized as the same script.
  private var names: [[UInt8]: String] = [:]

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    _ = name(of: includer)
    var place = Self.place(of: path, from: includer)
    if texts[includer] != nil, let slash = includer.lastIndex(of: "/") {
      place = Self.normalized(includer[...slash] + path)
    }
    if let text = texts[place] { return SourceText(name: place, text: text) }
    return try permissions.script(at: place, named: name(of: place))
  }

  /// Reads a script that the user named at the prompt, and allows the use of its folder from now
  /// on.
  func load(_ path: String) throws(UnreadableSource) -> SourceText {
    let source = try Self.read(name(of: path))
    allow(folder: RealPath.folder(of: RealPath.ofMissing(path)))
    return source
  }

  /// Allows the use of a folder's files from now on.
  func allow(folder: String) {
    let folder = RealPath.ofMissing(folder)
    if !permissions.roots.contains(folder) { permissions.roots.append(folder) }
  }

  private func name(of path: String) -> String {
    let file = Array(URL(fileURLWithPath: path).resolvingSymlinksInPath().path.utf8)
    if let name = names[file] { return name }
    names[file] = path
    return path
  }

  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8] {
    try permissions.contents(of: Self.place(of: path, from: includer))
  }

  func reader(at path: String, from includer: String) throws(UnreadableSource) -> any PieceReader {
    try FilePieces(permissions.open(Self.place(of: path, from: includer)))
  }

  func names(inFolder path: String, from includer: String) -> [String]? {
    let place = Self.place(of: path, from: includer)
    guard permissions.refusal(.reading, of: RealPath.ofMissing(place)) == nil else { return nil }
    return Self.names(inFolder: place)
  }

  /// Returns the names in a folder that the user named; nil if there is none.
  static func names(inFolder path: String) -> [String]? {
    (try? FolderNames.names(in: path.isEmpty ? "." : path))?.compactMap(\.text).sorted()
  }

  func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    let place = try place(ofStore: path, from: includer, isReadOnly: isReadOnly)
    // No one needs a temporary store after a power failure, so its saves do not wait for the disk.
    let isTemporary = try storeFolder?.path(of: path) == place
    return try SQLiteStore(
      model: model, path: place, name: path, isReadOnly: isReadOnly,
      migration: StoreMigration(migration), durability: isTemporary ? .off : .full)
  }

  /// Returns the path of a store.
  ///
  /// A test may write only to its own files, and may read others.
  private func place(
    ofStore path: String, from includer: String, isReadOnly: Bool
  ) throws(StoreError) -> String {
    if let own = try storeFolder?.path(of: path) {
      if path == copiedStore, FileStatus.exists(path), !FileStatus.exists(own) {
        try SQLiteStore.copy(path, to: own)
      }
      if !isReadOnly || FileStatus.exists(own) { return own }
    }
    do throws(UnreadableSource) {
      return try permissions.store(
        at: Self.place(of: path, from: includer), isReadOnly: isReadOnly)
    } catch {
      throw .unusable(store: path, reason: error.reason)
    }
  }

  func fits(
    of models: [ManagedObjectModel], storeAt path: String, from includer: String,
    isReadOnly: Bool
  ) -> [Int?] {
    guard
      let place = try? place(ofStore: path, from: includer, isReadOnly: isReadOnly)
    else { return [] }
    return SQLiteStore.fits(of: models, path: place, isReadOnly: isReadOnly)
  }

  func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)? {
    let folder = cacheFolder ?? (try? storeFolder?.path(of: "caches"))
    return folder.map { FolderSectionCaches(folder: URL(fileURLWithPath: $0), store: store) }
  }

  /// Returns where a path in a file leads: it is relative to that file.
  static func place(of path: String, from includer: String) -> String {
    guard !path.hasPrefix("/"), FileStatus.exists(includer) || isUnsaved(includer) else {
      return normalized(path)
    }
    // A link to a script counts as the script that it leads to, also for the folder of its files.
    let file = isLink(includer) ? real(includer) : includer
    guard let slash = file.lastIndex(of: "/") else { return normalized(path) }
    return normalized(file[...slash] + path)
  }

  /// Whether a path is that of a script that an editor has not saved yet, in a folder.
  ///
  /// The playground's script, `/script.frc` for its editor, is in no folder.
  private static func isUnsaved(_ path: String) -> Bool {
    guard path.hasPrefix("/") else { return false }
    let folder = RealPath.folder(of: path)
    return folder != "/" && FileStatus.exists(folder)
  }

  /// Returns the path without redundant steps, so that a file that includes itself is recognized by
  /// its name.
  ///
  /// The parent of a linked folder is the parent of the folder that the link leads to.
  private static func normalized(_ path: String) -> String {
    var result = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") where part != "." {
      if part == "..", !result.isEmpty, result != "..", !result.hasSuffix("/..") {
        if isLink(result) { result = real(result) }
        let slash = result.lastIndex(of: "/")
        result = slash.map { String(result[..<$0]) } ?? ""
        if result.isEmpty, slash != nil { result = "/" }
      } else {
        result += (result.isEmpty || result == "/" ? "" : "/") + part
      }
    }
    return result.isEmpty ? "." : result
  }

  private static func isLink(_ path: String) -> Bool {
    (try? FileStatus(path, followsLinks: false))?.isLink ?? false
  }

  /// Returns the real path, relative to the working folder if it is below that.
  private static func real(_ path: String) -> String {
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let folder = RealPath.workingFolder + "/"
    return place.hasPrefix(folder) ? String(place.dropFirst(folder.count)) : place
  }

  func showProgress(_ progress: ImportProgress) {
    if showsProgress { progressBar.show(progress) }
  }

  func endProgress() { progressBar.end() }

  // Each repetition of a loop asks, and most have no limit.
  var isInterrupted: Bool {
    if let limit { SessionLimit.isStopped(by: limit) } else { InterruptFlag.isRaised }
  }

  func awaitStep(_ step: Int) -> Bool { askForStep?(step) ?? false }

  /// False in a test, whose output must be the same each time.
  var measuresTime: Bool { storeFolder == nil }

  var memoryInUse: Int? { storeFolder == nil ? OwnMemory.bytes : nil }

  /// Reads a file that the user named, which may be a pipe.
  ///
  /// A link is followed. But if it leads out of its folder, messages do not quote the file, because
  /// somebody else may have made the link.
  static func read(_ path: String) throws(UnreadableSource) -> SourceText {
    do throws(SystemError) {
      let file = try OpenFile(path, .reading, waits: false)
      let kind = try file.status().kind
      if kind == .folder { throw .folder }
      let isQuotable =
        kind != .regular || openDescriptor(path) != nil || !leadsOutOfFolder(path)
      return SourceText(
        name: path,
        bytes: try bytes(of: file.descriptor, atMost: Permissions.mostScriptBytes),
        isQuotable: isQuotable)
    } catch {
      throw UnreadableSource(error)
    }
  }

  /// Whether a path is a link out of the folder that contains it.
  private static func leadsOutOfFolder(_ path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return !RealPath.isBelow(RealPath.ofMissing(folder), RealPath.ofMissing(path))
  }

  /// Reads up to the end; a pipe only until the program is asked to end.
  static func bytes(
    of descriptor: FileDescriptor, atMost limit: Int
  ) throws(SystemError) -> [UInt8] {
    let bytes = try beginning(of: descriptor, atMost: limit)
    guard bytes.count <= limit else { throw .tooLarge }
    return bytes
  }

  /// Reads up to a limit, and one byte more if there are more.
  static func beginning(
    of descriptor: FileDescriptor, atMost limit: Int
  ) throws(SystemError) -> [UInt8] {
    let isRegular = try FileStatus(of: descriptor).kind == .regular
    return isRegular
      ? try descriptor.readToEnd(atMost: limit + 1)
      : try descriptor.readToEnd(atMost: limit + 1) { !InterruptFlag.isRaised }
  }
}

extension StoreMigration {
  /// Creates the options for opening a file with an older model.
  fileprivate init(_ migration: ScriptMigration?) {
    guard let migration else {
      self = .none
      return
    }
    self = .inferred(
      allowsDataLoss: migration.allowsDataLoss, versions: migration.versions)
    didMigrate = migration.didMigrate
  }
}

extension FileEnvironment {
  /// Replaces a file atomically, and keeps its owner and permissions.
  ///
  /// If the path is a link, the file that it leads to is replaced.
  ///
  /// - Throws: `UnwritableFile`, also if the file is not a regular file, is read-only, or is linked
  ///   from another folder.
  static func replace(
    _ path: String, with bytes: [UInt8], permissions: Permissions? = nil
  ) throws(UnwritableFile) {
    let place = try place(of: path, permissions)
    if let old = try? place.status(), old.isReadOnly {
      throw UnwritableFile(reason: "it is read-only")
    }
    do throws(SystemError) {
      try AtomicFile.write(bytes, to: place)
    } catch {
      throw refusal(error, path)
    }
  }

  /// Locks a folder, so that processes that change one of its files do so one after the other.
  ///
  /// - Returns: The lock, which ends with its last reference.
  static func lock(_ folder: String) throws(UnwritableFile) -> FolderLock {
    do throws(SystemError) {
      return try FolderLock(folder, isHurried: { InterruptFlag.isRaised })
    } catch {
      throw UnwritableFile(
        reason: error == .missing
          ? "there is no folder '\(folder)'" : "the folder '\(folder)': \(error.words)")
    }
  }

  /// Creates a folder with the folders above it, unless there is one.
  static func makeFolder(_ path: String) throws(UnwritableFile) {
    do throws(SystemError) {
      try NewFolder.makeWithParents(path)
    } catch {
      throw error == .exists
        ? UnwritableFile(reason: "a file has this name; name another folder")
        : UnwritableFile(error)
    }
  }

  /// Writes a file.
  ///
  /// A regular file is replaced. Anything else with a path, such as a pipe or a terminal, receives
  /// the bytes.
  static func write(_ bytes: [UInt8], to path: String) throws(UnwritableFile) {
    if let descriptor = openDescriptor(path) {
      return try write(bytes, to: descriptor)
    }
    guard let old = try? FileStatus(path), old.kind != .regular else {
      return try replace(path, with: bytes)
    }
    try append(bytes, to: path)
  }

  /// Returns the place of a file that is to be written.
  ///
  /// A link that leads out of its own folder is refused, because its author would decide what is
  /// written elsewhere.
  ///
  /// - Parameter permissions: What may be written; nil for any file.
  static func place(
    of path: String, _ permissions: Permissions? = nil
  ) throws(UnwritableFile) -> FileLocation {
    let slash = path.lastIndex(of: "/")
    let folder = RealPath.ofMissing(slash.map { String(path[...$0]) } ?? ".")
    let place: FileLocation
    do throws(SystemError) {
      place = try FileLocation(path)
    } catch {
      throw refusal(error, path)
    }
    if let refusal = permissions?.refusal(.writing, of: place.path) {
      throw UnwritableFile(reason: refusal.words)
    }
    guard RealPath.isBelow(folder, place.path) else {
      throw UnwritableFile(
        reason: "it is a link out of its folder, to '\(place.path)'; name that file")
    }
    if (try? place.status())?.isLink == true {
      throw UnwritableFile(reason: "it is a link that leads to no file")
    }
    return place
  }

  /// Returns the program's own descriptor that a path names, as `/dev/stdout` does.
  ///
  /// The descriptor may be a regular file, where later output of others continues after this
  /// program's.
  static func openDescriptor(_ path: String) -> FileDescriptor? {
    switch path {
    case "/dev/stdin": return .standardInput
    case "/dev/stdout": return .standardOutput
    case "/dev/stderr": return .standardError
    default:
      let folders = ["/dev/fd/", "/proc/self/fd/"]
      guard let folder = folders.first(where: path.hasPrefix) else { return nil }
      return Int32(path.dropFirst(folder.count)).map(FileDescriptor.init)
    }
  }

  /// Appends to a file, and creates it if necessary.
  static func append(_ bytes: [UInt8], to path: String) throws(UnwritableFile) {
    let place = try place(of: path)
    do throws(SystemError) {
      let file = try place.open(.appending)
      try file.descriptor.write(bytes)
    } catch {
      throw refusal(error, path)
    }
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: FileDescriptor
  ) throws(UnwritableFile) {
    do throws(SystemError) {
      try descriptor.write(bytes)
    } catch {
      throw UnwritableFile(error)
    }
  }

  /// Returns why a file cannot be created.
  ///
  /// If something is missing, it is the folder, except in folders such as `/proc`, where the system
  /// reports each new name as missing.
  static func refusal(_ error: SystemError, _ path: String) -> UnwritableFile {
    switch error {
    case .missing:
      guard let slash = path.lastIndex(of: "/") else { return UnwritableFile(error) }
      let folder = slash == path.startIndex ? "/" : String(path[..<slash])
      return UnwritableFile(
        reason: FileStatus.isFolder(folder)
          ? "no file can be created in '\(folder)'; name another folder"
          : "there is no folder '\(folder)'")
    case .invalid: return UnwritableFile(reason: "it is not a regular file")
    default: return UnwritableFile(error)
    }
  }
}

extension RealPath {
  /// Returns the bytes of where a file is, or where it would be created.
  ///
  /// Two files may have names that Swift's equality treats as equal: `é` as one scalar or two.
  static func bytes(_ path: String) -> [UInt8] { Array(ofMissing(path).utf8) }
}

/// The files that a command reads, so that it does not write over one of them.
struct InputFiles {
  private var names: [FileStatus.Identity: String] = [:]

  /// - Parameter paths: The files; `-` is standard input.
  init(_ paths: [String]) {
    for path in paths {
      guard let status = try? FileStatus(path == "-" ? "/dev/stdin" : path) else { continue }
      names[status.identity] = path
    }
  }

  /// Returns why an output would replace one of the files; nil if it is another one.
  ///
  /// A link, or another name, leads to the same file.
  func refusal(ofOutput output: String) -> UnwritableFile? {
    guard let target = try? FileStatus(output), target.kind == .regular,
      let name = names[target.identity]
    else { return nil }
    return UnwritableFile(reason: "it is the same file as '\(name)', which is read; name another")
  }

  /// Returns the first of a command's outputs that would replace one of the files or an earlier
  /// output, and why it is refused; nil if there is none.
  ///
  /// Devices may be named again.
  func refusal(ofOutputs outputs: [String]) -> (path: String, reason: String)? {
    var seen: Set<[UInt8]> = []
    for path in outputs {
      if let refusal = refusal(ofOutput: path) { return (path, refusal.reason) }
      let isFile = (try? FileStatus(path)).map { $0.kind == .regular } ?? true
      guard !isFile || seen.insert(RealPath.bytes(path)).inserted else {
        return (path, "another output is written to the same file; name another")
      }
    }
    return nil
  }
}
