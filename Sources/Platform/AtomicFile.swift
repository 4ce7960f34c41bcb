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
    try write(bytes, to: try FileLocation(path), permissions: permissions)
  }

  /// Replaces the file at a place, or creates it; see ``write(_:to:permissions:)``.
  package static func write(
    _ bytes: some Sequence<UInt8>, to place: borrowing FileLocation, permissions: UInt16 = 0o666
  ) throws(SystemError) {
    var old = try? place.status()
    // A link that leads to no file is replaced.
    if old?.isLink == true { old = nil }
    switch old?.kind {
    case .regular, nil: break
    case .folder: throw .folder
    case .special: throw .invalid
    }
    let bytes = ContiguousArray(bytes)
    if let draft = place.folder.makeUnnamedFile(permissions: permissions) {
      try fill(draft, with: bytes, old)
      if try name(draft, place) { return }
    }
    try replaceByNamedDraft(place, with: bytes, old, permissions)
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
    _ draft: borrowing OpenFile, _ place: borrowing FileLocation
  ) throws(SystemError) -> Bool {
    if place.folder.name(draft, place.name) == nil { return true }
    let name = place.name + ".frc~"
    for _ in 0..<patience {
      if let error = place.folder.name(draft, name) {
        guard error == .exists else { return false }
        // The name belongs to a process that was killed, or to one that will find its draft gone.
        place.folder.removeName(name)
        continue
      }
      do throws(SystemError) {
        try place.folder.rename(name, to: place.name)
        return true
      } catch {
        guard error == .missing else {
          place.folder.removeName(name)
          throw error
        }
      }
      // Another process has removed the name, or has already renamed this draft to the file's name.
      if let identity = try? draft.status().identity,
        (try? place.status())?.identity == identity
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
    _ place: borrowing FileLocation, with bytes: ContiguousArray<UInt8>, _ old: FileStatus?,
    _ permissions: UInt16
  ) throws(SystemError) {
    let draft = try draft(beside: place, permissions: permissions)
    do throws(SystemError) {
      try fill(draft.file, with: bytes, old)
      try place.folder.rename(draft.name, to: place.name)
    } catch {
      place.folder.removeName(draft.name)
      throw error
    }
  }

  private struct Draft: ~Copyable {
    let name: String
    let file: OpenFile
  }

  /// Creates a file with an unused name.
  ///
  /// A process that was killed may have left a file with this process's number.
  private static func draft(
    beside place: borrowing FileLocation, permissions: UInt16
  ) throws(SystemError) -> Draft {
    var number = 0
    while true {
      let name = "\(place.name).\(getpid())" + (number == 0 ? "" : ".\(number)")
      do throws(SystemError) {
        let file = try place.folder.open(name, .creating, permissions: permissions)
        return Draft(name: name, file: file)
      } catch {
        if error != .exists { throw error }
      }
      number += 1
    }
  }
}
