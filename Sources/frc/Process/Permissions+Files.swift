import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

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
    if let refusal = refusal(.writing, of: RealPath.ofMissing(path)) {
      throw UnwritableFile(reason: refusal.words)
    }
    try FileEnvironment.replace(path, with: bytes)
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
