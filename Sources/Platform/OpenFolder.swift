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

  /// Opens the folder with a real path, only to use files in it.
  ///
  /// - Throws: ``SystemError/link`` if a folder on the way has become a link, or else the system's
  ///   error.
  init(real path: String) throws(SystemError) {
    let flags = SystemCalls.forPaths | O_DIRECTORY | O_CLOEXEC
    let number = openat(AT_FDCWD, "/", flags)
    guard number >= 0 else { throw .last }
    var folder = OpenFolder(file: OpenFile(descriptor: FileDescriptor(number)))
    for name in path.split(separator: "/") {
      folder = OpenFolder(file: try folder.opened(String(name), flags, permissions: 0))
    }
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
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - access: How to open it.
  ///   - waits: Whether to wait for the other end of a named pipe.
  ///   - permissions: The permissions of a new file, before the process's mask is applied.
  /// - Throws: ``SystemError/link`` if it is a link, or else the system's error.
  package borrowing func open(
    _ name: String, _ access: OpenFile.Access = .reading, waits: Bool = false,
    permissions: UInt16 = 0o666
  ) throws(SystemError) -> OpenFile {
    try opened(name, access.flags | (waits ? 0 : O_NONBLOCK), permissions: permissions)
  }

  /// Creates a file without a name in this folder.
  ///
  /// It is removed when the process ends, unless it gets a name.
  ///
  /// - Returns: Nil if the system or the file system does not support such files.
  borrowing func makeUnnamedFile(permissions: UInt16) -> OpenFile? {
    let made = SystemCalls.openUnnamed(in: number, mode_t(permissions))
    return made >= 0 ? OpenFile(descriptor: FileDescriptor(made)) : nil
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

  /// Gives a name to a file that was created without one.
  ///
  /// - Returns: The system's error, such as ``SystemError/exists``; nil for success.
  borrowing func name(_ file: borrowing OpenFile, _ name: String) -> SystemError? {
    SystemCalls.link(file.descriptor.number, in: number, name) == 0 ? nil : .last
  }

  /// Removes a name that is not a folder's: a file's, or a link's own.
  borrowing func removeName(_ name: String) { _ = unlinkat(number, name, 0) }

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

/// The place of a file, whether it exists or not: its folder, which stays open, and its name there.
///
/// The path is resolved once. So what was examined and what is written is the same file, even if a
/// part of its path is exchanged for a link meanwhile.
package struct FileLocation: ~Copyable {
  /// The real path.
  package let path: String
  let folder: OpenFolder
  let name: String

  /// Resolves a path; links are followed.
  ///
  /// A link that leads to no file is itself the place.
  ///
  /// - Throws: ``SystemError/missing`` if there is no folder, or else the system's error.
  package init(_ path: String) throws(SystemError) {
    let real = RealPath.ofMissing(path)
    guard let slash = real.lastIndex(of: "/"), real.utf8.count > 1 else { throw .folder }
    // A value that cannot be copied is made whole: what may fail comes first.
    folder = try OpenFolder(real: String(real[..<slash]))
    self.path = real
    name = String(real[real.index(after: slash)...])
  }

  /// Opens the file, without following a link.
  ///
  /// It waits for the other end of a named pipe.
  package borrowing func open(_ access: OpenFile.Access) throws(SystemError) -> OpenFile {
    try folder.open(name, access, waits: true)
  }

  /// Returns the status of the file; that of a link is its own.
  ///
  /// - Throws: ``SystemError/missing`` if there is none, or else the system's error.
  package borrowing func status() throws(SystemError) -> FileStatus { try folder.status(name) }
}

/// The names in a folder, also those that are not text.
package enum FolderNames {
  /// A name in a folder.
  package struct Name: Hashable, Sendable {
    package let bytes: [UInt8]
    /// Whether it may be the name of a folder, or of a link to one.
    package let mayBeFolder: Bool

    /// The name as text; nil if it is not UTF-8, so that a path of text cannot name the file.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The name for messages: bytes that are not UTF-8 as codes, such as `a\xff.frc`.
    package var shown: String {
      var result = ""
      var rest = bytes[...]
      while let first = rest.first {
        // A character has at most four bytes.
        let character = (1...4).lazy.compactMap { count in
          rest.count < count ? nil : String(validating: rest.prefix(count), as: UTF8.self)
        }.first
        if let character {
          result += character
          rest = rest.dropFirst(character.utf8.count)
        } else {
          result += #"\x"# + (first < 16 ? "0" : "") + String(first, radix: 16)
          rest = rest.dropFirst()
        }
      }
      return result
    }
  }

  /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
  ///
  /// - Throws: The system's error if the folder cannot be read.
  package static func names(in folder: String) throws(SystemError) -> [Name] {
    guard let opened = opendir(folder) else { throw .last }
    defer { closedir(opened) }
    return try names(in: opened)
  }

  /// Returns the names in an open folder, like ``names(in:)-(String)``.
  static func names(in folder: FileDescriptor) throws(SystemError) -> [Name] {
    // Reading the names closes the descriptor and moves its place, so it gets one of its own.
    let number = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw .last }
    guard let opened = fdopendir(number) else {
      let error = SystemError.last
      close(number)
      throw error
    }
    defer { closedir(opened) }
    return try names(in: opened)
  }

  private static func names(in opened: FolderStream) throws(SystemError) -> [Name] {
    var names: [Name] = []
    while true {
      errno = 0
      guard let entry = readdir(opened) else { break }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes == Array(".".utf8) || bytes == Array("..".utf8) { continue }
      // Not every file system names the kind.
      let kind = Int32(entry.pointee.d_type)
      let mayBeFolder = [DT_DIR, DT_LNK, DT_UNKNOWN].contains { Int32($0) == kind }
      names.append(Name(bytes: bytes, mayBeFolder: mayBeFolder))
    }
    let error = SystemError.last
    guard error.code == 0 else { throw error }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}

/// Resolves paths to their actual location.
package enum RealPath {
  /// Returns the absolute path of a file with all links resolved; nil if the file does not exist.
  package static func of(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns where a file is, or where it would be created.
  ///
  /// A missing part is appended to the real path of the last existing folder.
  ///
  /// A link to nothing counts as a missing file. The folder of this process in `/proc` is returned
  /// as `/proc/self`.
  package static func ofMissing(_ path: String) -> String {
    var rest: [Substring] = []
    var head = path[...]
    while true {
      if let real = of(head.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(head)) {
        return joined(real, rest.reversed())
      }
      guard let slash = head.lastIndex(of: "/") else {
        rest.append(head)
        head = ""
        // Even the working folder may no longer exist.
        return joined(of(path.hasPrefix("/") ? "/" : ".") ?? "", rest.reversed())
      }
      rest.append(head[head.index(after: slash)...])
      head = head[..<slash]
    }
  }

  /// The working folder; `.` if it no longer exists.
  package static var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  private static func joined(_ folder: String, _ parts: [Substring]) -> String {
    var names = folder.split(separator: "/")
    for part in parts {
      switch part {
      case "", ".": break
      case "..": _ = names.popLast()
      default: names.append(part)
      }
    }
    // The process's number in this folder differs in each run.
    if names.starts(with: ["proc", "\(getpid())"]) { names[1] = "self" }
    // `joined` would make the runtime look for a conformance among all of the program's.
    if names.isEmpty { return "/" }
    return names.reduce(into: "") { path, name in
      path.append("/")
      path.append(contentsOf: name)
    }
  }

  /// Returns the folder of a file with this real path.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Whether a real path is a folder or is inside it.
  package static func isBelow(_ folder: String, _ path: String) -> Bool {
    guard path.utf8.starts(with: folder.utf8) else { return false }
    let rest = path.utf8.dropFirst(folder.utf8.count)
    return rest.isEmpty || folder == "/" || rest.first == UInt8(ascii: "/")
  }
}

/// An exclusive lock on a folder, held as long as this object exists.
///
/// Processes that change the same file of the folder take the lock first. The folder is locked and
/// not the file, because a file that is replaced atomically is a new file each time. The lock ends
/// with the process, also if it is killed, and leaves nothing in the folder.
///
/// A file system without locks, such as some network file systems, grants every lock.
package final class FolderLock {
  private let folder: OpenFile

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - patience: How long to wait while another process holds the lock.
  ///   - isHurried: Whether the program is asked to end, and waits for 0.3 s at most; called again
  ///     and again.
  /// - Throws: ``SystemError/locked`` if another process holds the lock for longer, or the system's
  ///   error if the folder cannot be opened.
  package init(
    _ path: String, patience: Duration = .seconds(10), isHurried: () -> Bool = { false }
  ) throws(SystemError) {
    folder = try OpenFile(path, .reading, waits: false)
    let start = ContinuousClock.now
    while folder.tryLock() == false {
      let patience = isHurried() ? min(patience, .milliseconds(300)) : patience
      guard start.duration(to: .now) < patience else { throw .locked }
      _ = FileDescriptor.wait(for: [], milliseconds: 5)
    }
  }
}

/// Creates folders.
package enum NewFolder {
  /// Creates a folder, unless there is one.
  ///
  /// The folder above it has to exist.
  ///
  /// - Throws: ``SystemError/exists`` if there is another file at the path, or else the system's
  ///   error.
  package static func make(_ path: String, permissions: UInt16 = 0o777) throws(SystemError) {
    guard mkdir(path, mode_t(permissions)) != 0 else { return }
    let error = SystemError.last
    // Some systems report that a file system is read-only although the folder exists.
    guard !FileStatus.isFolder(path) else { return }
    throw error
  }

  /// Creates a folder with the folders above it, unless there is one.
  ///
  /// - Throws: The system's error, such as ``SystemError/exists`` if there is another file at the
  ///   path.
  package static func makeWithParents(
    _ path: String, permissions: UInt16 = 0o777
  ) throws(SystemError) {
    do throws(SystemError) {
      try make(path, permissions: permissions)
    } catch {
      let parent = path.split(separator: "/").dropLast()
      guard error == .missing, !parent.isEmpty else { throw error }
      try makeWithParents(
        (path.hasPrefix("/") ? "/" : "") + parent.joined(separator: "/"), permissions: permissions)
      try make(path, permissions: permissions)
    }
  }
}

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
