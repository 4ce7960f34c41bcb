import FetchedResults
import Foundation
import LineEditor
import Platform
import Synchronization

/// Waits until a store's file, or a file that SQLite keeps next to it, changes.
///
/// The system reports most changes at once. The files are also checked from time to time, because
/// some file systems report no changes, and none reports changes by another machine.
struct StoreWatcher {
  /// The compared properties of a file; nil for a missing file.
  private struct Stamp: Equatable {
    let identity: FileStatus.Identity
    let size: Int
    let modified: FileStatus.Time
    let changed: FileStatus.Time
  }

  /// The time between two checks.
  private static let pause = Duration.milliseconds(50)
  /// The time between two checks after a read error, because reading takes long.
  private static let longPause = Duration.milliseconds(500)
  /// The time within which two writes may leave a file with the same timestamp, in seconds.
  private static let tick = 0.05

  /// The path that the user gave, which may lead through links.
  private let given: String
  /// Where the file is; a link may lead to another place later.
  private var path: String
  private var folder: String
  private var names: Set<String>
  private var events: FolderEvents?
  private var stamps: [Stamp?] = []
  /// Whether a file was so new that another write might leave its stamp unchanged.
  private var isYoung = false
  /// Whether an event reported a change, which the stamps may not show.
  private var isTouched = false

  /// - Parameter path: The store's file, which may not exist.
  init(_ path: String) {
    given = path
    let real = RealPath.ofMissing(path)
    self.path = real
    folder = RealPath.folder(of: real)
    names = Self.names(of: real)
    events = FolderEvents(folder: folder)
    look()
  }

  private static func names(of path: String) -> Set<String> {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return Set(endings.map { name + $0 })
  }

  /// Watches the place where the given path leads now.
  ///
  /// A link is not in the folder whose events are requested, so its changes are only seen here.
  private mutating func followLinks() {
    let real = RealPath.ofMissing(given)
    guard real != path else { return }
    path = real
    folder = RealPath.folder(of: real)
    names = Self.names(of: real)
    events = FolderEvents(folder: folder)
    isTouched = true
  }

  private static let endings = ["", "-wal", "-journal"]

  /// Whether the file exists and is not empty.
  var isThere: Bool { (try? FileStatus(given)).map { $0.size > 0 } ?? false }

  /// Why the file can never become a store; nil if it is a regular file, or missing.
  var unusable: String? {
    switch (try? FileStatus(given))?.kind {
    case .regular, nil: nil
    case .folder: "it is a folder"
    case .special: "it is not a regular file"
    }
  }

  /// Waits until something changes.
  ///
  /// - Parameters:
  ///   - isSlow: Whether to check less often, because a change is not urgent.
  ///   - end: When to return at the latest; nil to wait as long as it takes.
  /// - Returns: False if the user ended the wait.
  mutating func awaitChange(
    isSlow: Bool = false, until end: ContinuousClock.Instant? = nil
  ) -> Bool {
    let pause = isSlow ? Self.longPause : Self.pause
    while !InterruptFlag.isRaised {
      if take() { return true }
      if let end, ContinuousClock.now >= end { return true }
      let milliseconds = Int32(pause / .milliseconds(1))
      _ = FileDescriptor.wait(
        for: events.map { [$0.descriptor] } ?? [], milliseconds: milliseconds)
      takeEvents()
    }
    return false
  }

  /// Waits for some time.
  ///
  /// Changes in the meantime are noticed afterwards.
  static func rest(_ duration: Duration) {
    let end = ContinuousClock.now + duration
    while !InterruptFlag.isRaised, ContinuousClock.now < end {
      let left = min(100, (end - ContinuousClock.now) / .milliseconds(1))
      _ = FileDescriptor.wait(for: [], milliseconds: Int32(max(1, left.rounded(.up))))
    }
  }

  private mutating func takeEvents() {
    guard let events else { return }
    guard let changed = events.takeNames() else {
      // Events were lost, or the folder was replaced.
      isTouched = true
      self.events = FolderEvents(folder: folder)
      return
    }
    if !changed.isDisjoint(with: names) { isTouched = true }
  }

  /// Returns whether something has changed since the last call.
  private mutating func take() -> Bool {
    let (old, wasYoung) = (stamps, isYoung)
    look()
    defer { isTouched = false }
    // If the folder was created or replaced, events of its files are requested again.
    if events == nil { events = FolderEvents(folder: folder) }
    return isTouched || wasYoung || stamps != old
  }

  private mutating func look() {
    followLinks()
    let now = FileStatus.Time.now
    isYoung = false
    stamps = Self.endings.map { ending in
      guard let status = try? FileStatus(path + ending) else { return nil }
      let age = min(status.modified.seconds(until: now), status.changed.seconds(until: now))
      // A file system with timestamps in whole seconds shows fewer changes.
      isYoung = isYoung || age < (status.changed.nanoseconds == 0 ? 1 + Self.tick : Self.tick)
      return Stamp(
        identity: status.identity, size: status.size, modified: status.modified,
        changed: status.changed)
    }
  }
}

/// A temporary folder for one test's files, which is created when it is needed and removed with its
/// last user.
final class ScratchFolder {
  /// The folder, which is made lazily, because most tests need none.
  private var folder: TemporaryFolder?

  private static let ownName = Mutex(newName)

  /// The start of the names of this process's folders.
  static var name: String { ownName.withLock(\.self) }

  /// Sets the start of the names of this process's folders.
  static func use(name: String) { ownName.withLock { $0 = name } }

  /// A new start of folder names that no other process has.
  static var newName: String { "frc-test-\(UUID().uuidString)" }

  /// Returns the path of a file in the folder.
  ///
  /// If the path contains other folders, only its last part is used.
  func path(of file: String) throws(StoreError) -> String {
    let made: TemporaryFolder
    do throws(SystemError) {
      if let folder { made = folder } else { made = try TemporaryFolder(prefix: Self.name) }
    } catch {
      throw StoreError.unusable(store: file, reason: TemporaryFolder.words(of: error))
    }
    folder = made
    return made.path(of: file.split(separator: "/").last.map(String.init) ?? file)
  }
}

/// The folder where the program keeps the history, and the progress in courses, between sessions.
enum StateFolder {
  /// Returns the folder among the user's state folders; nil if the user has no home.
  ///
  /// - Parameter variable: Returns the value of an environment variable.
  static func path(_ variable: (String) -> String?) -> String? {
    // The XDG specification says that a relative path must be ignored.
    if let folder = variable("XDG_STATE_HOME"), folder.hasPrefix("/") { return folder + "/frc" }
    guard let home = variable("HOME"), !home.isEmpty else { return nil }
    return home + "/.local/state/frc"
  }
}
