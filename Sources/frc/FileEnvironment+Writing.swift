import Glibc
import ScriptRuntime

extension FileEnvironment {
  /// Replaces a file at once, the one that a link leads to, and keeps its
  /// owner and permissions.
  ///
  /// - Throws: Why not, also of what is no plain file.
  static func replace(_ path: String, with bytes: [UInt8]) throws(UnwritableFile) {
    var old = stat()
    let exists = stat(path, &old) == 0
    guard !exists || old.isPlainFile else {
      throw UnwritableFile(
        reason: old.isFolder ? "it is a folder" : "it is no plain file")
    }
    let target = resolved(path)
    let draft = "\(target).\(getpid())"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw refusal(errno, target) }
    do throws(UnwritableFile) {
      defer { close(descriptor) }
      if exists {
        // Only root may give a file away, and nobody else has to.
        _ = fchown(descriptor, old.st_uid, old.st_gid)
        guard fchmod(descriptor, old.st_mode & 0o7777) == 0 else { throw UnwritableFile(errno) }
      }
      try FileBytes.write(bytes, to: descriptor)
      guard rename(draft, target) == 0 else { throw UnwritableFile(errno) }
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Writes a file: a plain one is replaced, and whatever else has a path, such
  /// as a pipe or a terminal, gets the bytes and stays what it is.
  static func write(_ bytes: [UInt8], to path: String) throws(UnwritableFile) {
    if let descriptor = openDescriptor(path) { return try FileBytes.write(bytes, to: descriptor) }
    var old = stat()
    let exists = stat(path, &old) == 0
    guard exists, !old.isPlainFile else { return try replace(path, with: bytes) }
    try append(bytes, to: path)
  }

  /// The program's own descriptor that a path names, as `/dev/stdout` does.
  ///
  /// It may lead to a plain file, into which others write where this one ends.
  private static func openDescriptor(_ path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return 1
    case "/dev/stderr": return 2
    default:
      let folders = ["/dev/fd/", "/proc/self/fd/"]
      guard let folder = folders.first(where: path.hasPrefix) else { return nil }
      return Int32(path.dropFirst(folder.count))
    }
  }

  /// Writes to the end of a file, which is made where there is none.
  static func append(_ bytes: [UInt8], to path: String) throws(UnwritableFile) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw refusal(errno, path) }
    defer { close(descriptor) }
    try FileBytes.write(bytes, to: descriptor)
  }

  /// Where a path leads, links followed; the path itself where nothing is yet.
  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Why a file cannot be made: where something is missing, it is its folder.
  private static func refusal(_ number: Int32, _ path: String) -> UnwritableFile {
    guard number == ENOENT, let slash = path.lastIndex(of: "/") else {
      return UnwritableFile(number)
    }
    return UnwritableFile(reason: "there is no folder '\(path[..<slash])'")
  }
}
