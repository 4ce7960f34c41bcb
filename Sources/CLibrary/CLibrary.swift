// The differences between the C libraries of Linux (Glibc, Musl) and of Apple's systems (Darwin).
// Only this file has `#if` for a platform.

#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Musl)
@_exported public import Musl
#else
@_exported public import Glibc
#endif

// What the file actions of a process that is started and an open folder's names are.
#if canImport(Darwin)
package typealias SpawnActions = posix_spawn_file_actions_t?
package typealias SpawnAttributes = posix_spawnattr_t?
/// What `opendir` returns.
package typealias FolderStream = UnsafeMutablePointer<DIR>
#else
package typealias SpawnActions = posix_spawn_file_actions_t
package typealias SpawnAttributes = posix_spawnattr_t
package typealias FolderStream = OpaquePointer
#endif

/// What `pthread_create` sets.
#if canImport(Darwin) || canImport(Musl)
package typealias ThreadHandle = pthread_t?
#else
package typealias ThreadHandle = pthread_t
#endif

/// System calls that have the same name as a Swift method, so that calling one needs the library's
/// name.
package enum SystemCalls {
  /// An uninitialized value for `posix_spawn_file_actions_init`.
  package static var noSpawnActions: SpawnActions {
    #if canImport(Darwin)
    nil
    #else
    posix_spawn_file_actions_t()
    #endif
  }

  /// An uninitialized value for `posix_spawnattr_init`.
  package static var noSpawnAttributes: SpawnAttributes {
    #if canImport(Darwin)
    nil
    #else
    posix_spawnattr_t()
    #endif
  }

  /// An uninitialized value for `pthread_create`.
  package static var noThread: ThreadHandle {
    #if canImport(Darwin) || canImport(Musl)
    nil
    #else
    0
    #endif
  }

  /// Reads from an open file.
  ///
  /// - Returns: The number of bytes read; 0 at the end, -1 for an error (`errno`).
  package static func read(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Darwin)
    Darwin.read(descriptor, bytes, count)
    #elseif canImport(Musl)
    Musl.read(descriptor, bytes, count)
    #else
    Glibc.read(descriptor, bytes, count)
    #endif
  }

  /// Writes to an open file.
  ///
  /// - Returns: The number of bytes written; -1 for an error (`errno`).
  package static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes, count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes, count)
    #else
    Glibc.write(descriptor, bytes, count)
    #endif
  }

  /// Checks whether the process may use a file; 0 if it may.
  package static func access(_ path: String, _ mode: Int32) -> Int32 {
    #if canImport(Darwin)
    Darwin.access(path, mode)
    #elseif canImport(Musl)
    Musl.access(path, mode)
    #else
    Glibc.access(path, mode)
    #endif
  }

  /// Returns the system's path of an open file; nil if the system does not provide one.
  package static func path(ofDescriptor descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    #if canImport(Darwin)
    guard fcntl(descriptor, F_GETPATH, &bytes) == 0 else { return nil }
    let count = bytes.firstIndex(of: 0) ?? bytes.count
    #else
    let count = readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    #endif
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

extension SystemCalls {
  /// The bytes of memory that belong to this process alone, without pages of files; nil if the
  /// system does not count them.
  package static var ownMemory: Int? {
    #if os(Linux)
    let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = read(file, &text, text.count)
    guard count > 0 else { return nil }
    // The second number counts the pages in memory, and the third those of files among them.
    let numbers = text[..<count].split(separator: UInt8(ascii: " "))
      .map { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count > 2, let pages = numbers[1], let pagesOfFiles = numbers[2] else {
      return nil
    }
    return (pages - pagesOfFiles) * Int(sysconf(Int32(_SC_PAGESIZE)))
    #elseif os(macOS)
    var usage = rusage_info_v4()
    let status = withUnsafeMutablePointer(to: &usage) { usage in
      usage.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) {
        proc_pid_rusage(getpid(), RUSAGE_INFO_V4, $0)
      }
    }
    return status == 0 ? Int(clamping: usage.ri_phys_footprint) : nil
    #else
    return nil
    #endif
  }
}

/// Sockets and limits, whose constants have other types in each library.
extension SystemCalls {
  /// A socket for a stream of bytes.
  package static var streamSocket: Int32 {
    #if canImport(Glibc)
    Int32(SOCK_STREAM.rawValue)
    #else
    SOCK_STREAM
    #endif
  }

  /// A socket for single packets.
  package static var packetSocket: Int32 {
    #if canImport(Glibc)
    Int32(SOCK_DGRAM.rawValue)
    #else
    SOCK_DGRAM
    #endif
  }

  /// Reads the limit of open files.
  package static func getOpenFiles(_ limit: inout rlimit) -> Int32 {
    #if canImport(Glibc)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
    getrlimit(RLIMIT_NOFILE, &limit)
    #endif
  }

  /// Sets the limit of open files.
  package static func setOpenFiles(_ limit: inout rlimit) -> Int32 {
    #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
    setrlimit(RLIMIT_NOFILE, &limit)
    #endif
  }
}

/// Files without a name, which exist only on Linux.
extension SystemCalls {
  /// Creates a file without a name in a folder.
  ///
  /// - Parameter folder: The descriptor of the folder.
  /// - Returns: Its descriptor; -1 if such files are not supported (`errno`).
  package static func openUnnamed(in folder: Int32, _ permissions: mode_t) -> Int32 {
    #if os(Linux)
    // The number is O_TMPFILE, a macro that Swift cannot import.
    openat(folder, ".", O_WRONLY | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, permissions)
    #else
    errno = ENOTSUP
    return -1
    #endif
  }

  /// Gives a file without a name a name in a folder.
  ///
  /// - Returns: 0; -1 for an error (`errno`).
  package static func link(_ descriptor: Int32, in folder: Int32, _ name: String) -> Int32 {
    #if os(Linux)
    linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", folder, name, AT_SYMLINK_FOLLOW)
    #else
    errno = ENOTSUP
    return -1
    #endif
  }

  /// The flag for opening a folder only to use files in it, which needs no right to list them.
  package static var forPaths: Int32 {
    #if os(Linux)
    // The number is O_PATH, a macro that Swift cannot import.
    0o10_000_000
    #else
    O_RDONLY
    #endif
  }
}

/// Reports of changes in a folder's files, which exist only on Linux.
extension SystemCalls {
  /// Starts reports of changes in a folder.
  ///
  /// - Returns: A descriptor that can be read without waiting; -1 if the system has no reports, or
  ///   if the folder cannot be watched (`errno`).
  package static func watch(folder: String) -> Int32 {
    #if os(Linux)
    let descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
    guard descriptor >= 0 else { return -1 }
    let events =
      IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    guard inotify_add_watch(descriptor, folder, UInt32(truncatingIfNeeded: events)) >= 0 else {
      let error = errno
      close(descriptor)
      errno = error
      return -1
    }
    return descriptor
    #else
    errno = ENOTSUP
    return -1
    #endif
  }

  /// Reads the reports from such a descriptor.
  ///
  /// - Returns: The name of the file for each change; nil for a change of the folder itself, or if
  ///   some changes were lost.
  package static func names(inEvents bytes: [UInt8]) -> [String?] {
    #if os(Linux)
    var names: [String?] = []
    var place = 0
    let head = MemoryLayout<inotify_event>.size
    while place + head <= bytes.count {
      let event = bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
      }
      let end = min(bytes.count, place + head + Int(event.len))
      let name = bytes[(place + head)..<end].prefix { $0 != 0 }
      names.append(name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
      place = end
    }
    return names
    #else
    return []
    #endif
  }
}

extension sigaction {
  /// The handler as a number, for a comparison with the system's own handlers.
  package var handlerBits: Int {
    #if canImport(Darwin)
    unsafeBitCast(__sigaction_u.__sa_handler, to: Int.self)
    #elseif canImport(Musl)
    unsafeBitCast(__sa_handler.sa_handler, to: Int.self)
    #else
    unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self)
    #endif
  }

  /// Sets the function to call when the signal arrives.
  package mutating func setHandler(_ handler: @escaping @convention(c) (Int32) -> Void) {
    #if canImport(Darwin)
    __sigaction_u.__sa_handler = handler
    #elseif canImport(Musl)
    __sa_handler.sa_handler = handler
    #else
    __sigaction_handler.sa_handler = handler
    #endif
  }
}

extension siginfo_t {
  /// Whether a process sent the signal.
  ///
  /// Otherwise the system did, for example because of a key.
  package var wasSent: Bool {
    #if canImport(Darwin)
    si_pid != 0
    #else
    // Signals from the system itself have codes above 0.
    si_code <= 0
    #endif
  }
}

extension stat {
  /// When the contents of the file last changed.
  package var modificationTime: timespec {
    #if canImport(Darwin)
    st_mtimespec
    #else
    st_mtim
    #endif
  }

  /// When the contents, the owner or the permissions of the file last changed.
  package var changeTime: timespec {
    #if canImport(Darwin)
    st_ctimespec
    #else
    st_ctim
    #endif
  }
}
