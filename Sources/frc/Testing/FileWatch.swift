import Foundation
import LineEditor
import Platform

/// Waits until files change.
///
/// It checks the files repeatedly, which works on every system and file system, and takes at most a
/// tenth of the time.
struct FileWatch {
  /// The compared properties of a file; nil for a missing file.
  private struct Stamp: Equatable {
    let identity: FileStatus.Identity
    let size: Int
    let changed: FileStatus.Time
  }

  private var stamps: [String: Stamp?] = [:]

  /// Records the present state of files.
  init(_ paths: Set<String>) { stamps = Self.stamps(of: paths) }

  /// Adds files, in their present state.
  mutating func add(_ paths: Set<String>) {
    for (path, stamp) in Self.stamps(of: paths.subtracting(stamps.keys)) {
      stamps[path] = .some(stamp)
    }
  }

  /// Waits until a file changes, and then until no file changes for a moment, because an editor may
  /// write in several steps.
  ///
  /// - Parameter paths: Returns the files to watch, which may become more.
  /// - Returns: The files that were changed, created or removed; nil if the user ended the wait.
  mutating func changes(of paths: () -> Set<String>) -> Set<String>? {
    var found: Set<String> = []
    let clock = ContinuousClock()
    while true {
      let start = clock.now
      let now = Self.stamps(of: paths().union(stamps.keys))
      let changed = Set(now.filter { stamps[$0.key] != .some($0.value) }.keys)
      stamps = now
      if changed.isEmpty, !found.isEmpty { return found }
      found.formUnion(changed)
      let pause = max(.milliseconds(found.isEmpty ? 200 : 50), (clock.now - start) * 9)
      guard Self.pause(pause) else { return nil }
    }
  }

  private static func stamps(of paths: Set<String>) -> [String: Stamp?] {
    var stamps: [String: Stamp?] = [:]
    for path in paths {
      let status = try? FileStatus(path)
      stamps[path] = .some(
        status.map { Stamp(identity: $0.identity, size: $0.size, changed: $0.changed) })
    }
    return stamps
  }

  /// Waits.
  ///
  /// Returns false if the program was asked to end in the meantime.
  private static func pause(_ duration: Duration) -> Bool {
    let end = ContinuousClock.now + duration
    while !InterruptFlag.isRaised {
      let left = end - ContinuousClock.now
      guard left > .zero else { return true }
      let milliseconds = min(100, left / .milliseconds(1))
      _ = FileDescriptor.wait(for: [], milliseconds: Int32(milliseconds.rounded(.up)))
    }
    return false
  }
}
