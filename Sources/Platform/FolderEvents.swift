import CLibrary

/// The system's reports of changes in a folder's files.
///
/// Linux reports changes that are made on the same machine. Other systems have no reports, so the
/// caller has to check the files regularly.
package final class FolderEvents {
  /// Readable when there is a report.
  package let descriptor: FileDescriptor

  /// - Returns: Nil if the system has no reports for the folder.
  package init?(folder: String) {
    let number = SystemCalls.watch(folder: folder)
    guard number >= 0 else { return nil }
    descriptor = FileDescriptor(number)
  }

  /// Returns the names of the files that changed since the last call, without waiting; nil if any
  /// file may have changed.
  package func takeNames() -> Set<String>? {
    var names: Set<String> = []
    var isComplete = true
    // Events never end for a file that is written all the time.
    for _ in 0..<64 {
      guard let bytes = try? descriptor.readOnce(upTo: 1 << 16), !bytes.isEmpty else { break }
      for name in SystemCalls.names(inEvents: bytes) {
        if let name { names.insert(name) } else { isComplete = false }
      }
    }
    return isComplete ? names : nil
  }

  deinit { close(descriptor.number) }
}
