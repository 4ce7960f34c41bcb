import CLibrary

/// A folder that stays open as long as this value exists.
///
/// Each operation names one file in the folder, and none follows a link. So a folder or a
/// file that is exchanged on the way cannot lead an operation to another place.
package struct OpenFolder: ~Copyable {
  private let file: OpenFile

  /// Opens a folder that the user or the program named.
  ///
  /// - Parameter path: The folder; links are followed.
  /// - Throws: The system's error.
  package init(_ path: String) throws(SystemError) {
    let number = openat(AT_FDCWD, path, Self.flags)
    guard number >= 0 else { throw .last }
    file = OpenFile(descriptor: FileDescriptor(number))
  }

  /// Opens a folder below another, without following a link.
  ///
  /// - Parameters:
  ///   - path: The names of the folders on the way.
  ///   - root: The folder in which the way begins; links in its own path are followed.
  /// - Throws: ``SystemError/link`` if one of the folders is a link, or else the system's error.
  package init(_ path: [String], below root: String) throws(SystemError) {
    var folder = try OpenFolder(root)
    for name in path { folder = try folder.folder(name) }
    self = folder
  }

  private init(file: consuming OpenFile) { self.file = file }

  private static var flags: Int32 { O_RDONLY | O_DIRECTORY | O_CLOEXEC }

  private var number: Int32 { file.descriptor.number }

  // MARK: Opening

  /// Opens a folder in this one.
  ///
  /// - Throws: ``SystemError/link`` if it is a link, or else the system's error.
  package borrowing func folder(_ name: String) throws(SystemError) -> OpenFolder {
    OpenFolder(file: try opened(name, Self.flags, permissions: 0))
  }

  /// Opens a file in this folder.
  ///
  /// It does not wait for the other end of a named pipe.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - access: How to open it.
  ///   - permissions: The permissions of a new file, before the process's mask is applied.
  /// - Throws: ``SystemError/link`` if it is a link, or else the system's error.
  package borrowing func open(
    _ name: String, _ access: OpenFile.Access = .reading, permissions: UInt16 = 0o666
  ) throws(SystemError) -> OpenFile {
    try opened(name, access.flags | O_NONBLOCK, permissions: permissions)
  }

  private borrowing func opened(
    _ name: String, _ flags: Int32, permissions: UInt16
  ) throws(SystemError) -> OpenFile {
    guard Self.isOneName(name) else { throw .invalid }
    let number = openat(number, name, flags | O_NOFOLLOW, mode_t(permissions))
    guard number >= 0 else {
      let error = SystemError.last
      // The system's error for a link in place of a folder is that it is not a folder.
      throw isLink(name) ? .link : error
    }
    return OpenFile(descriptor: FileDescriptor(number))
  }

  // MARK: Looking

  /// Returns the status of a file in this folder; that of a link is its own.
  ///
  /// - Throws: ``SystemError/missing`` if there is none, or else the system's error.
  package borrowing func status(_ name: String) throws(SystemError) -> FileStatus {
    guard Self.isOneName(name) else { throw .invalid }
    return try FileStatus(name, in: file.descriptor)
  }

  /// Returns the status of the folder itself.
  package borrowing func status() throws(SystemError) -> FileStatus { try file.status() }

  /// Whether there is a link with this name.
  package borrowing func isLink(_ name: String) -> Bool {
    (try? status(name))?.isLink ?? false
  }

  /// Returns the names in this folder.
  package borrowing func names() throws(SystemError) -> [FolderNames.Name] {
    try FolderNames.names(in: file.descriptor)
  }

  // MARK: Changing

  /// Creates a folder in this one.
  ///
  /// - Throws: ``SystemError/exists`` if there is a file with this name, or else the system's error.
  package borrowing func makeFolder(
    _ name: String, permissions: UInt16 = 0o777
  ) throws(SystemError) {
    guard Self.isOneName(name) else { throw .invalid }
    guard mkdirat(number, name, mode_t(permissions)) == 0 else { throw .last }
  }

  /// Gives a file of this folder another name in it, in place of a file that has that name.
  ///
  /// A link with either name is treated as a file.
  package borrowing func rename(_ name: String, to other: String) throws(SystemError) {
    guard Self.isOneName(name), Self.isOneName(other) else { throw .invalid }
    guard renameat(number, name, number, other) == 0 else { throw .last }
  }

  /// Removes a regular file from this folder.
  ///
  /// A folder or a link with the name stays.
  ///
  /// - Throws: ``SystemError/invalid`` if it is not a regular file, or else the system's error.
  package borrowing func removeFile(_ name: String) throws(SystemError) {
    guard try status(name).kind == .regular else { throw .invalid }
    // Even if the name has become a folder's in the meantime, this removes no folder.
    guard unlinkat(number, name, 0) == 0 else { throw .last }
  }

  /// Removes a regular file at a path; a folder or a link stays.
  ///
  /// Links are followed on the way to the folder of the file.
  ///
  /// - Throws: ``SystemError/invalid`` if it is not a regular file, or else the system's error.
  package static func removeFile(at path: String) throws(SystemError) {
    guard let slash = path.lastIndex(of: "/") else {
      return try OpenFolder(".").removeFile(path)
    }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    try OpenFolder(folder).removeFile(String(path[path.index(after: slash)...]))
  }

  /// Removes everything in this folder, without following a link.
  ///
  /// Only ``TemporaryFolder`` calls it, for folders that this program has made.
  borrowing func empty() {
    for name in (try? names()) ?? [] {
      // A name may have any bytes, but the program gives text to its own files.
      guard let name = name.text else { continue }
      if let inner = try? folder(name) {
        inner.empty()
        _ = unlinkat(number, name, AT_REMOVEDIR)
      } else {
        _ = unlinkat(number, name, 0)
      }
    }
  }

  /// Removes an empty folder from this one.
  borrowing func removeFolder(_ name: String) throws(SystemError) {
    guard Self.isOneName(name) else { throw .invalid }
    guard unlinkat(number, name, AT_REMOVEDIR) == 0 else { throw .last }
  }

  /// Whether a text names a file in a folder, and not the way to another folder.
  private static func isOneName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
      && !name.utf8.contains(0)
  }
}
