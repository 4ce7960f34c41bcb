import CLibrary

/// Replaces the contents of a file in one step.
///
/// A process that reads the file meanwhile gets either the old or the new contents, never a part.
/// If this process is killed, either the old or the new file remains, and nothing else. For this,
/// the draft has no name until it is complete, if the file system supports such files.
package enum AtomicFile {
  /// Replaces a file, or creates it.
  ///
  /// If the path is a link, the link stays. The file keeps its owner and permissions.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: The permissions of a new file.
  /// - Throws: ``SystemError/folder`` or ``SystemError/invalid`` if the path does not lead to a
  ///   regular file, or else the system's error.
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
  /// Only a file with a name can replace another file, so the draft gets a temporary name first. If
  /// the process is killed at that moment, the temporary file remains. The next process that writes
  /// the file removes it.
  ///
  /// - Returns: Whether the file was replaced. It is not if the system cannot name such files.
  private static func name(
    _ draft: borrowing OpenFile, _ target: String
  ) throws(SystemError) -> Bool {
    if draft.takeName(target) == nil { return true }
    let name = target + ".frc~"
    for _ in 0..<patience {
      if let error = draft.takeName(name) {
        guard error == .exists else { return false }
        // The name belongs to a process that was killed, or to one that will find its draft gone.
        unlink(name)
        continue
      }
      if rename(name, target) == 0 { return true }
      let error = SystemError.last
      guard error == .missing else {
        unlink(name)
        throw error
      }
      // Another process has removed the name, or has already renamed this draft to the file's name.
      if let identity = try? draft.status().identity,
        (try? FileStatus(target))?.identity == identity
      {
        return true
      }
    }
    return false
  }

  /// How often the draft gets a new name if other processes remove it.
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

  /// Creates a file with an unused name.
  ///
  /// A process that was killed may have left a file with this process's number.
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
