import ArgumentParser
import Foundation
import GoldenTesting
import Platform

/// Runs tests again when a file that they use changes.
struct TestWatch {
  let output: Output
  /// Reads `frc.toml` again.
  ///
  /// If it is wrong, reports that and throws an error.
  let choice: () throws -> TestChoice

  /// The paths of settings files, whether or not they exist.
  private let settings = Set(Project.files().map(RealPath.ofMissing))

  init(output: Output, choice: @escaping () throws -> TestChoice) {
    self.output = output
    self.choice = choice
  }

  /// Waits for changes and runs the tests that use the changed files, until the user ends it.
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
    var watch = FileWatch(files)
    say(first.tests.count)
    while let changed = watch.changes(of: { scripts(choice.settings).union(files) }) {
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
        areOtherSettings || !reach.isComplete || changed.contains(where: reach.contains)
      }.map(\.0)
      if chosen.isEmpty {
        output.write("no test uses this file")
      } else {
        try perform(chosen, choice)
      }
      say(tests.count)
    }
  }

  private func say(_ count: Int) {
    output.write("watching \(count) \(count == 1 ? "test" : "tests"); Ctrl-C ends")
    output.flush()
  }

  /// Prints the names of changed files, relative to the working folder.
  private func say(_ changed: Set<String>) {
    let folder = RealPath.workingFolder + "/"
    let names = changed.sorted().map {
      $0.hasPrefix(folder) ? String($0.dropFirst(folder.count)) : $0
    }
    output.write("")
    output.write(names.joined(separator: ", "))
    output.flush()
  }

  /// Returns the scripts that the paths name now.
  private func scripts(_ settings: TestSettings) -> Set<String> {
    let search = TestSearch(settings.paths, leavingOut: settings.fixtures)
    return Set(search.scripts.map { RealPath.ofMissing($0.path) })
  }

  private static func reached(
    by tests: [PreparedTest], _ permissions: Permissions
  ) -> [ReachedFiles.Reach] {
    let files = ReachedFiles(permissions)
    return tests.map(files.reach)
  }

  /// Returns the files to watch, including those in folders.
  private static func files(in reached: [ReachedFiles.Reach]) -> Set<String> {
    var files = reached.reduce(into: Set<String>()) { $0.formUnion($1.files) }
    for folder in files where (try? FileStatus(folder))?.kind == .folder {
      let inner = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
      files.formUnion((inner ?? []).map { folder + "/" + $0 })
    }
    return files
  }
}
