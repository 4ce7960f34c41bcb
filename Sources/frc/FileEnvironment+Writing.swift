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
      throw old.isFolder
        ? UnwritableFile(EISDIR) : UnwritableFile(reason: "it is no plain file")
    }
    let target = resolved(path)
    let (draft, descriptor) = try openDraft(beside: target)
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

  /// Makes a file of a name that no other has; a process that was killed may have
  /// left its own, and its number be that of this one.
  private static func openDraft(
    beside target: String
  ) throws(UnwritableFile) -> (path: String, descriptor: Int32) {
    var number = 0
    while true {
      let path = "\(target).\(getpid())" + (number == 0 ? "" : ".\(number)")
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (path, descriptor) }
      guard errno == EEXIST else { throw refusal(errno, target) }
      number += 1
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
