import CLibrary

/// Puts new contents in the place of a file at once.
///
/// Whoever reads the file meanwhile reads the old contents or the new ones,
/// never a part, and a process that is killed leaves the one or the other.
package enum AtomicFile {
  /// Replaces a file, or makes it.
  ///
  /// A link to a file stays, and the file keeps its owner and permissions.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: Of a file that is new.
  /// - Throws: ``SystemError/folder`` or ``SystemError/invalid`` where the path
  ///   leads to something that is no regular file, or what the system answered.
  package static func write(
    _ bytes: some Sequence<UInt8>, to path: String, permissions: UInt16 = 0o666
  ) throws(SystemError) {
    let old = try? FileStatus(path)
    switch old?.kind {
    case .regular, nil: break
    case .folder: throw .folder
    case .special: throw .invalid
    }
    let target = RealPath.of(path) ?? path
    let draft = try draft(beside: target, permissions: permissions)
    do throws(SystemError) {
      if let old { try draft.file.takeRights(of: old) }
      try draft.file.descriptor.write(bytes)
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
