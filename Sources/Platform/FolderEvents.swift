import CLibrary

/// The system's reports of changes in a folder's files.
///
/// Linux reports changes that are made on this machine. Elsewhere there are no reports, and whoever
/// waits looks at the files from time to time.
package final class FolderEvents {
  /// Can be read when something happened.
  package let descriptor: FileDescriptor

  /// - Returns: Nil if the system reports nothing about the folder.
  package init?(folder: String) {
    let number = SystemCalls.watch(folder: folder)
    guard number >= 0 else { return nil }
    descriptor = FileDescriptor(number)
  }

  /// Returns the names of the files that something happened to since this was last asked, without
  /// waiting; nil if anything may have happened.
  package func takeNames() -> Set<String>? {
    var names: Set<String> = []
    var isComplete = true
    // A file that is written all the time gives no end of events.
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
