import ArgumentParser
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax

/// The files that a run may read and write.
///
/// This is only the rule: it accesses no file, and takes real paths, without links.
struct Permissions: Hashable, Sendable {
  enum Access: Hashable, Sendable {
    case reading
    case writing

    /// The option that allows it.
    var option: String {
      switch self {
      case .reading: "--allow-read"
      case .writing: "--allow-write"
      }
    }
  }

  /// The folders in which everything is allowed.
  var roots: [String]
  /// Other files and folders that may be read.
  var reads: [String] = []
  /// Other files and folders that may be written.
  var writes: [String] = []

  /// Folders of the system, which are allowed only if they are a root themselves.
  ///
  /// They contain data that is not a user's file, such as the environment of a process.
  private static let systemFolders = ["/dev", "/proc", "/sys"]

  /// The folder of a repository's settings, which may contain a server's password.
  private static let repositoryFolder = ".git"

  /// The reason why a file must not be used.
  struct Refusal: Error, Hashable, Sendable {
    enum Rule: Hashable, Sendable {
      case outside(roots: [String])
      case repository
    }

    let access: Access
    /// The real path.
    let path: String
    let rule: Rule

    /// The reason, as the continuation of a message.
    var words: String {
      if case .outside(let roots) = rule, roots.isEmpty {
        return "'\(path)' cannot be used, because scripts have no files here"
      }
      let reason =
        switch (rule, access) {
        case (.outside(let roots), .reading):
          "outside of \(Self.list(roots)), below which scripts may read"
        case (.outside(let roots), .writing):
          "outside of \(Self.list(roots)), below which files may be written"
        case (.repository, _): "in the folder '.git' of a repository"
        }
      return "'\(path)' is \(reason); \(access.option) '\(path)' allows it"
    }

    private static func list(_ roots: [String]) -> String {
      roots.map { "'\($0)'" }.joined(separator: " and ")
    }
  }

  /// Returns why a file must not be read or written; nil if it may.
  ///
  /// - Parameter path: The real path of a file or folder.
  func refusal(_ access: Access, of path: String) -> Refusal? {
    let named = access == .reading ? reads : writes
    if named.contains(where: { RealPath.isBelow($0, path) }) { return nil }
    guard let root = roots.first(where: { Self.isPart(path, of: $0) }) else {
      return Refusal(access: access, path: path, rule: .outside(roots: roots))
    }
    let inner = path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/"))
    let isRepositorys = inner.contains {
      // Some file systems ignore case.
      String(Substring($0)).lowercased() == Self.repositoryFolder
    }
    return isRepositorys ? Refusal(access: access, path: path, rule: .repository) : nil
  }

  /// Whether messages may quote a file.
  func allowsQuoting(_ path: String) -> Bool { roots.contains { Self.isPart(path, of: $0) } }

  private static func isPart(_ path: String, of root: String) -> Bool {
    RealPath.isBelow(root, path)
      && !systemFolders.contains {
        RealPath.isBelow($0, path) && !RealPath.isBelow($0, root)
      }
  }
}

/// Opens files according to the permissions, so that the opened file is the one that was allowed.
extension Permissions {
  /// The permissions for only the working folder.
  static var workingFolder: Permissions { Permissions(roots: [RealPath.ofMissing(".")]) }

  /// The largest size of a script, in bytes.
  static let mostScriptBytes = 128 << 20

  /// The largest size of another file that is read as a whole, in bytes.
  static let mostBytes = 64 << 20

  // MARK: Reading

  /// Opens a regular file.
  ///
  /// It is opened without waiting, because a pipe that replaced it would block. Then the path of
  /// the open file is checked, so that a link that was changed after the first check has no effect.
  func open(_ path: String) throws(UnreadableSource) -> OpenFile {
    try open(real: RealPath.ofMissing(path))
  }

  private func open(real: String) throws(UnreadableSource) -> OpenFile {
    try check(real)
    do throws(SystemError) {
      try Self.requireRegular(try FileStatus(real).kind)
      let file = try OpenFile(real, .reading, waits: false)
      let status = try file.status()
      try Self.requireRegular(status.kind)
      if let place = file.descriptor.path {
        guard refusal(.reading, of: place) == nil else { throw .missing }
      } else if try FileStatus(real, followsLinks: false).identity != status.identity {
        throw .missing
      }
      return file
    } catch {
      throw UnreadableSource(
        reason: error == .invalid ? "it is not a regular file" : error.words)
    }
  }

  private static func requireRegular(_ kind: FileStatus.Kind) throws(SystemError) {
    switch kind {
    case .regular: break
    case .folder: throw .folder
    case .special: throw .invalid
    }
  }

  /// Throws an error if a file with this real path may not be read.
  func check(_ real: String) throws(UnreadableSource) {
    if let refusal = refusal(.reading, of: real) { throw UnreadableSource(reason: refusal.words) }
  }

  /// Reads a regular file as a whole.
  func contents(
    of path: String, atMost limit: Int = mostBytes
  ) throws(UnreadableSource) -> [UInt8] {
    try contents(ofReal: RealPath.ofMissing(path), atMost: limit)
  }

  private func contents(
    ofReal real: String, atMost limit: Int
  ) throws(UnreadableSource) -> [UInt8] {
    let file = try open(real: real)
    let bytes: [UInt8]
    do throws(SystemError) {
      // A file may be longer than its stated size, and may grow while it is read.
      bytes = try file.descriptor.readToEnd(atMost: limit + 1)
    } catch {
      throw UnreadableSource(error)
    }
    guard bytes.count <= limit else {
      throw UnreadableSource(reason: "it is larger than \(limit >> 20) MB")
    }
    return bytes
  }

  /// Reads a script from a regular file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name in messages.
  func script(at path: String, named name: String) throws(UnreadableSource) -> SourceText {
    let real = RealPath.ofMissing(path)
    let bytes = try contents(ofReal: real, atMost: Self.mostScriptBytes)
    return SourceText(name: name, bytes: bytes, isQuotable: allowsQuoting(real))
  }

  /// Reads a script that the command line names.
  ///
  /// It may come from a pipe: standard input for `-`, or a named pipe.
  func namedScript(at path: String) throws(UnreadableSource) -> SourceText {
    if path == "-" { return try StandardInput.read() }
    if FileEnvironment.openDescriptor(path) == nil {
      let real = RealPath.ofMissing(path)
      try check(real)
      guard (try? FileStatus(real))?.kind == .special else {
        return try script(at: path, named: path)
      }
    }
    return try FileEnvironment.read(path)
  }

  /// Reads the beginning of a file that the command line names, which may come from a pipe.
  ///
  /// - Returns: At most one byte more than the limit, which shows that the file is longer.
  func beginning(ofNamed path: String, atMost limit: Int) throws(UnreadableSource) -> [UInt8] {
    let real = RealPath.ofMissing(path)
    let isOpened = path == "-" || FileEnvironment.openDescriptor(path) != nil
    let isPipe = isOpened || (try? FileStatus(real))?.kind == .special
    if isPipe, !isOpened { try check(real) }
    let file = isPipe ? nil : try open(real: real)
    do throws(SystemError) {
      if path == "-" { return try FileEnvironment.beginning(of: .standardInput, atMost: limit) }
      if let file { return try FileEnvironment.beginning(of: file.descriptor, atMost: limit) }
      let pipe = try OpenFile(path, .reading, waits: false)
      return try FileEnvironment.beginning(of: pipe.descriptor, atMost: limit)
    } catch {
      throw UnreadableSource(error)
    }
  }

  // MARK: Writing

  /// Replaces a file atomically, and keeps its owner and permissions.
  func replace(_ path: String, with bytes: [UInt8]) throws(UnwritableFile) {
    try FileEnvironment.replace(path, with: bytes, permissions: self)
  }

  // MARK: Stores

  /// Returns the real path of a store, if the store and the files that SQLite keeps next to it may
  /// be used.
  func store(
    at path: String, isReadOnly: Bool
  ) throws(UnreadableSource) -> String {
    let real = RealPath.ofMissing(path)
    if let refusal = refusal(isReadOnly ? .reading : .writing, of: real) {
      throw UnreadableSource(reason: refusal.words)
    }
    if (try? FileStatus(real)) == nil, (try? FileStatus(real, followsLinks: false)) != nil {
      throw UnreadableSource(reason: "it is a link that leads to no file")
    }
    for suffix in ["-wal", "-shm", "-journal"] {
      guard let beside = try? FileStatus(real + suffix, followsLinks: false) else { continue }
      guard beside.kind == .regular else {
        throw UnreadableSource(reason: "'\(real + suffix)' beside it is not a regular file")
      }
    }
    return real
  }
}

/// The files and folders outside of the scripts' own folders that the command line allows.
struct AllowedPaths: Equatable {
  var reads: [String] = []
  var writes: [String] = []

  /// Returns the permissions for some folders, together with the allowed paths.
  func permissions(below roots: [String]) -> Permissions {
    Permissions(
      roots: roots, reads: reads.map(RealPath.ofMissing),
      writes: writes.map(RealPath.ofMissing))
  }

  /// Returns the permissions of a script that the command line names: for its folder, or for the
  /// working folder if it comes from a pipe.
  func permissions(of script: String?) -> Permissions {
    permissions(below: [script.map(Self.folder(ofScript:)) ?? RealPath.ofMissing(".")])
  }

  private static func folder(ofScript path: String) -> String {
    guard path != "-", FileEnvironment.openDescriptor(path) == nil else {
      return RealPath.ofMissing(".")
    }
    // A link to a script counts as the script that it leads to, also for the folder of its files.
    return RealPath.folder(of: RealPath.ofMissing(path))
  }
}

extension SourceText {
  /// Refuses a Markdown file with scripts in it, whose text would be reported as errors.
  ///
  /// A script may have any name.
  func refusingMarkdown() throws(UnreadableSource) -> SourceText {
    guard GoldenTest(source: self).scriptLines?.isEmpty == false else { return self }
    throw UnreadableSource(
      reason: "it is Markdown, not a script; frc test and frc play run the scripts in it")
  }
}

/// Options for what scripts may read outside of their own folder, where they write no file: they do
/// not run, or their stores are in a temporary folder.
struct ReadingOptions: ParsableArguments {
  @Option(help: .value("path", "Let scripts read this file or folder outside of their own folder."))
  var allowRead: [String] = []

  /// Changes nothing, and is accepted as by the commands that run the same scripts.
  @Option(help: .hidden)
  var allowWrite: [String] = []

  func validate() throws { try PermissionOptions.validate(paths) }

  /// The allowed paths.
  var paths: AllowedPaths { AllowedPaths(reads: allowRead, writes: allowWrite) }
}

/// Options for what scripts may use outside of their own folder.
struct PermissionOptions: ParsableArguments {
  @Option(help: .value("path", "Let scripts read this file or folder outside of their own folder."))
  var allowRead: [String] = []

  @Option(
    help: .value("path", "Let scripts write this file or folder outside of their own folder."))
  var allowWrite: [String] = []

  func validate() throws { try Self.validate(paths) }

  fileprivate static func validate(_ paths: AllowedPaths) throws {
    if paths.reads.contains("") { throw ValidationError("--allow-read: a path is needed") }
    if paths.writes.contains("") { throw ValidationError("--allow-write: a path is needed") }
  }

  /// The allowed paths.
  var paths: AllowedPaths { AllowedPaths(reads: allowRead, writes: allowWrite) }
}
