import GoldenTesting
import LineEditor
import Platform

/// Runs tests again when a file that they use changes.
struct TestWatcher {
  let output: Output
  /// Whether the results are lines of JSON, so that other lines go to standard error.
  private let isJSON: Bool
  /// Reads `frc.toml` again.
  ///
  /// If it is wrong, reports that and throws an error.
  let choice: () throws -> TestChoice

  /// The bytes of the paths of settings files, whether or not they exist.
  private let settings = Set(Project.files().map(RealPath.bytes))

  init(output: Output, isJSON: Bool, choice: @escaping () throws -> TestChoice) {
    self.output = output
    self.isJSON = isJSON
    self.choice = choice
  }

  /// Waits for changes and runs the tests that use the changed files, until the user ends it or
  /// standard output fails.
  ///
  /// If the settings changed, all tests run.
  ///
  /// - Parameters:
  ///   - first: The tests that have run.
  ///   - choice: The settings with which they ran.
  func run(
    _ first: TestChoice.Chosen, _ choice: TestChoice,
    perform: ([PreparedTest], TestChoice) throws -> Void
  ) throws {
    var choice = choice
    var reached = Self.reached(by: first.tests, choice.settings.permissions)
    var files = Self.files(in: reached).union(settings)
    var watch = FileWatcher(files)
    say(first.tests.count)
    while !Output.hasFailed,
      let changed = watch.changes(of: { scripts(choice.settings).union(files) })
    {
      say(changed)
      let areOtherSettings = !changed.isDisjoint(with: settings)
      // A file that cannot be read may be complete in a moment.
      if areOtherSettings {
        guard let new = try? self.choice() else { continue }
        choice = new
      }
      guard let tests = try? choice.chosen().tests else {
        output.flush()
        continue
      }
      reached = Self.reached(by: tests, choice.settings.permissions)
      files = Self.files(in: reached).union(settings)
      watch.add(files)
      let chosen = zip(tests, reached).filter { _, reach in
        areOtherSettings || !reach.isComplete || reach.contains(anyOf: changed)
      }.map(\.0)
      if chosen.isEmpty {
        write("no test uses this file")
      } else {
        try perform(chosen, choice)
      }
      say(tests.count)
    }
  }

  private func write(_ line: String) {
    if isJSON { output.writeError(line) } else { output.write(line) }
  }

  private func say(_ count: Int) {
    write("watching \(count) \(count == 1 ? "test" : "tests"); Ctrl-C ends")
    output.flush()
  }

  /// Prints the names of changed files, relative to the working folder.
  private func say(_ changed: Set<[UInt8]>) {
    let folder = RealPath.workingFolder + "/"
    let names = changed.map { String(decoding: $0, as: UTF8.self) }.inByteOrder().map {
      $0.hasPrefix(folder) ? String($0.dropFirst(folder.count)) : $0
    }
    write("")
    write(names.joined(separator: ", "))
    output.flush()
  }

  /// Returns the scripts that the paths name now.
  private func scripts(_ settings: TestSettings) -> Set<[UInt8]> {
    let search = TestSearch(settings.paths, leavingOut: settings.fixtures)
    return Set(search.scripts.map { RealPath.bytes($0.path) })
  }

  private static func reached(
    by tests: [PreparedTest], _ permissions: Permissions
  ) -> [ReachedFiles.Reach] {
    let files = ReachedFiles(permissions)
    return tests.map(files.reach)
  }

  /// Returns the files to watch, including those in folders, but not those that are only named
  /// through a link.
  private static func files(in reached: [ReachedFiles.Reach]) -> Set<[UInt8]> {
    var files = reached.reduce(into: Set<[UInt8]>()) { $0.formUnion($1.files) }
    for folder in files.map({ String(decoding: $0, as: UTF8.self) })
    where (try? FileStatus(folder, followsLinks: false))?.kind == .folder {
      files.formUnion(paths(below: folder).map { Array($0.utf8) })
    }
    return files
  }

  /// Returns the paths of all that is below a folder; links to folders are not followed.
  private static func paths(below folder: String) -> [String] {
    let names = (try? FolderNames.names(in: folder)) ?? []
    return names.compactMap(\.text).flatMap { name in
      let path = folder + "/" + name
      let isFolder = (try? FileStatus(path, followsLinks: false))?.kind == .folder
      return [path] + (isFolder ? paths(below: path) : [])
    }
  }
}

/// Waits until files change.
///
/// It checks the files repeatedly, which works on every system and file system, and takes at most a
/// tenth of the time.
struct FileWatcher {
  /// The compared properties of a file; nil for a missing file.
  private struct Stamp: Equatable {
    let identity: FileStatus.Identity
    var size: Int?
    var changed: FileStatus.Time?
  }

  /// The states of the files, by the bytes of their paths.
  private var stamps: [[UInt8]: Stamp?] = [:]

  /// Records the present state of files.
  init(_ paths: Set<[UInt8]>) { stamps = Self.stamps(of: paths) }

  /// Adds files, in their present state.
  mutating func add(_ paths: Set<[UInt8]>) {
    for (path, stamp) in Self.stamps(of: paths.subtracting(stamps.keys)) {
      stamps[path] = .some(stamp)
    }
  }

  /// Waits until a file changes, and then until no file changes for a moment, because an editor may
  /// write in several steps.
  ///
  /// - Parameter paths: Returns the files to watch, which may become more.
  /// - Returns: The files that were changed, created or removed; nil if the user ended the wait.
  mutating func changes(of paths: () -> Set<[UInt8]>) -> Set<[UInt8]>? {
    var found: Set<[UInt8]> = []
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

  private static func stamps(of paths: Set<[UInt8]>) -> [[UInt8]: Stamp?] {
    var stamps: [[UInt8]: Stamp?] = [:]
    for path in paths { stamps[path] = .some(stamp(of: String(decoding: path, as: UTF8.self))) }
    return stamps
  }

  private static func stamp(of path: String) -> Stamp? {
    guard let status = try? FileStatus(path) else { return nil }
    // The folder to which a link leads may get other files.
    if status.kind == .folder, (try? FileStatus(path, followsLinks: false))?.isLink == true {
      return Stamp(identity: status.identity)
    }
    return Stamp(identity: status.identity, size: status.size, changed: status.changed)
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
