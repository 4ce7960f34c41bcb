import CLibrary

/// Puts new contents in the place of a file at once.
///
/// Whoever reads the file meanwhile reads the old contents or the new ones, never a part. A
/// process that is killed leaves the one or the other, and nothing else: the draft has no name
/// until it is whole, where the file system has such files.
package enum AtomicFile {
  /// Replaces a file, or makes it.
  ///
  /// A link to a file stays, and the file keeps its owner and permissions.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: Of a file that is new.
  /// - Throws: ``SystemError/folder`` or ``SystemError/invalid`` if the path leads to something
  ///   that is not a regular file, or what the system answered.
  package static func write(
    _ bytes: some Sequence<UInt8>, to path: String, permissions: UInt16 = 0o666
  ) throws(SystemError) {
    let old = try? FileStatus(path)
    switch old?.kind {
    case .regular, nil: break
    case .folder: throw .folder
    case .special: throw .invalid
    }
    let bytes = ContiguousArray(bytes)
    let target = RealPath.of(path) ?? path
    if let draft = OpenFile(unnamedBeside: target, permissions: permissions) {
      try fill(draft, with: bytes, old)
      if try name(draft, target) { return }
    }
    try replaceByNamedDraft(target, with: bytes, old, permissions)
  }

  private static func fill(
    _ draft: borrowing OpenFile, with bytes: ContiguousArray<UInt8>, _ old: FileStatus?
  ) throws(SystemError) {
    if let old { try draft.takeRights(of: old) }
    try draft.descriptor.write(bytes)
  }

  // MARK: Drafts without a name

  /// Gives a draft the name of a file.
  ///
  /// A file can be replaced only by one that has a name. A process that is killed in the moment
  /// in which the draft has its own leaves it; the next one to write the file removes it.
  ///
  /// - Returns: Whether it has the name now; not where the system gives no names to such files.
  private static func name(
    _ draft: borrowing OpenFile, _ target: String
  ) throws(SystemError) -> Bool {
    if draft.takeName(target) == nil { return true }
    let name = target + ".frc~"
    for _ in 0..<patience {
      if let error = draft.takeName(name) {
        guard error == .exists else { return false }
        // Of a process that was killed, or of one that now finds its draft gone.
        unlink(name)
        continue
      }
      if rename(name, target) == 0 { return true }
      let error = SystemError.last
      guard error == .missing else {
        unlink(name)
        throw error
      }
      // Another process removed the name, or gave this draft the file's.
      if let identity = try? draft.status().identity,
        (try? FileStatus(target))?.identity == identity
      {
        return true
      }
    }
    return false
  }

  /// How often a draft gets a name while other processes take it away.
  private static let patience = 100

  // MARK: Drafts with a name

  private static func replaceByNamedDraft(
    _ target: String, with bytes: ContiguousArray<UInt8>, _ old: FileStatus?, _ permissions: UInt16
  ) throws(SystemError) {
    let draft = try draft(beside: target, permissions: permissions)
    do throws(SystemError) {
      try fill(draft.file, with: bytes, old)
      guard rename(draft.path, target) == 0 else { throw .last }
    } catch {
      unlink(draft.path)
      throw error
    }
  }

  private struct Draft: ~Copyable {
    let path: String
    let file: OpenFile
  }

  /// Makes a file of a name that no other has; a process that was killed may
  /// have left its own, and its number may be that of this one.
  private static func draft(
    beside target: String, permissions: UInt16
  ) throws(SystemError) -> Draft {
    var number = 0
    while true {
      let path = "\(target).\(getpid())" + (number == 0 ? "" : ".\(number)")
      do throws(SystemError) {
        let file = try OpenFile(path, .creating, permissions: permissions)
        return Draft(path: path, file: file)
      } catch {
        if error != .exists { throw error }
      }
      number += 1
    }
  }
}
