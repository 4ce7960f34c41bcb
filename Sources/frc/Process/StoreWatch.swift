import Foundation
import LineEditor
import Platform

/// Waits until a store's file, or what SQLite keeps beside it, changes.
///
/// The system reports most changes at once. The files are also looked at from time to time: not
/// every file system reports changes, and none reports those that another machine makes.
struct StoreWatch {
  /// What is looked at of a file; nil for one that is missing.
  private struct Stamp: Equatable {
    let identity: FileStatus.Identity
    let size: Int
    let modified: FileStatus.Time
    let changed: FileStatus.Time
  }

  /// How often the files are looked at.
  private static let pause = Duration.milliseconds(50)
  /// How often after something could not be read, since reading takes long.
  private static let longPause = Duration.milliseconds(500)
  /// How many seconds a file's time may stay the same although the file is written again.
  private static let tick = 0.05

  private let path: String
  private let folder: String
  private let names: Set<String>
  private var events: FolderEvents?
  private var stamps: [Stamp?] = []
  /// Whether a file was so new that another write might not show.
  private var isYoung = false
  /// Whether an event says that a file changed, which the stamps may not show.
  private var isTouched = false

  /// - Parameter path: The store's file, which need not be there.
  init(_ path: String) {
    let real = RealPath.ofMissing(path)
    self.path = real
    folder = RealPath.folder(of: real)
    let name = real.split(separator: "/").last.map(String.init) ?? real
    names = Set(Self.endings.map { name + $0 })
    events = FolderEvents(folder: folder)
    look()
  }

  private static let endings = ["", "-wal", "-journal"]

  /// Whether there is a file with something in it.
  var isThere: Bool { (try? FileStatus(path)).map { $0.size > 0 } ?? false }

  /// Waits until something changes.
  ///
  /// - Parameter isSlow: Whether to look less often, if a change is not urgent.
  /// - Returns: False if the user ended it.
  mutating func awaitChange(isSlow: Bool = false) -> Bool {
    let pause = isSlow ? Self.longPause : Self.pause
    while !InterruptFlag.isRaised {
      if take() { return true }
      let milliseconds = Int32(pause / .milliseconds(1))
      _ = FileDescriptor.wait(
        for: events.map { [$0.descriptor] } ?? [], milliseconds: milliseconds)
      takeEvents()
    }
    return false
  }

  /// Waits for a time; other changes are noticed afterwards.
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
      // Events were lost, or the folder is another one now.
      isTouched = true
      self.events = FolderEvents(folder: folder)
      return
    }
    if !changed.isDisjoint(with: names) { isTouched = true }
  }

  /// Returns whether something has changed since this was last asked.
  private mutating func take() -> Bool {
    let (old, wasYoung) = (stamps, isYoung)
    look()
    defer { isTouched = false }
    // A folder that came, or came back, is asked for events of its files again.
    if events == nil { events = FolderEvents(folder: folder) }
    return isTouched || wasYoung || stamps != old
  }

  private mutating func look() {
    let now = FileStatus.Time.now
    isYoung = false
    stamps = Self.endings.map { ending in
      guard let status = try? FileStatus(path + ending) else { return nil }
      let age = min(status.modified.seconds(until: now), status.changed.seconds(until: now))
      // A file system that counts whole seconds shows fewer changes.
      isYoung = isYoung || age < (status.changed.nanoseconds == 0 ? 1 + Self.tick : Self.tick)
      return Stamp(
        identity: status.identity, size: status.size, modified: status.modified,
        changed: status.changed)
    }
  }
}
