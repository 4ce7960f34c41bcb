import ArgumentParser
import Foundation
import GoldenTesting
import Platform

/// Runs tests again when a file that they look at changes.
struct TestWatch {
  let output: Output
  /// Reads `frc.toml` again; says so and throws if it is wrong.
  let choice: () throws -> TestChoice

  /// The files with settings, whether they are there or not.
  private let settings = Set(Project.files().map(RealPath.ofMissing))

  init(output: Output, choice: @escaping () throws -> TestChoice) {
    self.output = output
    self.choice = choice
  }

  /// Waits for changes and runs what they reach, until the user ends it; all tests
  /// where the settings changed.
  ///
  /// - Parameters:
  ///   - first: The tests that have run.
  ///   - choice: What they were run with.
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
      // A file that cannot be read may be whole again in a moment.
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
        output.write("no test looks at it")
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

  /// Names files that changed, as one would from the working folder.
  private func say(_ changed: Set<String>) {
    let folder = FileManager.default.currentDirectoryPath + "/"
    let names = changed.sorted().map {
      $0.hasPrefix(folder) ? String($0.dropFirst(folder.count)) : $0
    }
    output.write("")
    output.write(names.joined(separator: ", "))
    output.flush()
  }

  /// The scripts that the paths represent now.
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

  /// The files to look at, those in folders among them.
  private static func files(in reached: [ReachedFiles.Reach]) -> Set<String> {
    var files = reached.reduce(into: Set<String>()) { $0.formUnion($1.files) }
    for folder in files where (try? FileStatus(folder))?.kind == .folder {
      let inner = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
      files.formUnion((inner ?? []).map { folder + "/" + $0 })
    }
    return files
  }
}
