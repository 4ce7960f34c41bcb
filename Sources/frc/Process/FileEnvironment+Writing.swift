import LineEditor
import Platform
import ScriptRuntime

extension FileEnvironment {
  /// Replaces a file atomically, and keeps its owner and permissions.
  ///
  /// If the path is a link, the file that it leads to is replaced.
  ///
  /// - Throws: `UnwritableFile`, also if the file is not a regular file, is read-only, or is linked
  ///   from another folder.
  static func replace(_ path: String, with bytes: [UInt8]) throws(UnwritableFile) {
    try refuseForeignLink(path)
    if let old = try? FileStatus(path), old.isReadOnly {
      throw UnwritableFile(reason: "it is read-only")
    }
    do throws(SystemError) {
      try AtomicFile.write(bytes, to: path)
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

  /// Refuses a link that leads out of its own folder, because its author would decide what is
  /// written elsewhere.
  static func refuseForeignLink(_ path: String) throws(UnwritableFile) {
    let slash = path.lastIndex(of: "/")
    let folder = RealPath.ofMissing(slash.map { String(path[...$0]) } ?? ".")
    let real = RealPath.ofMissing(path)
    guard RealPath.isBelow(folder, real) else {
      throw UnwritableFile(reason: "it is a link out of its folder, to '\(real)'; name that file")
    }
    if (try? FileStatus(path)) == nil, (try? FileStatus(path, followsLinks: false)) != nil {
      throw UnwritableFile(reason: "it is a link that leads to no file")
    }
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
    try refuseForeignLink(path)
    do throws(SystemError) {
      let file = try OpenFile(path, .appending)
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
  /// If something is missing, it is the folder.
  static func refusal(_ error: SystemError, _ path: String) -> UnwritableFile {
    switch error {
    case .missing:
      guard let slash = path.lastIndex(of: "/") else { return UnwritableFile(error) }
      return UnwritableFile(reason: "there is no folder '\(path[..<slash])'")
    case .invalid: return UnwritableFile(reason: "it is not a regular file")
    default: return UnwritableFile(error)
    }
  }
}
