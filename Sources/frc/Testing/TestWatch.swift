import ArgumentParser
import Foundation
import GoldenTesting
import Platform

/// Runs tests again when a file that they look at changes.
struct TestWatch {
  let choice: TestChoice
  let output: Output

  /// Waits for changes and runs what they reach, until the user ends it.
  ///
  /// - Parameter first: The tests that have run.
  func run(_ first: TestChoice.Chosen, perform: ([PreparedTest]) throws -> Void) throws {
    let folder = FileManager.default.currentDirectoryPath + "/"
    var reached = Self.reached(by: first.tests)
    var files = Self.files(in: reached)
    var watch = FileWatch(files)
    say(first.tests.count)
    while let changed = watch.changes(of: { scripts().union(files) }) {
      let names = changed.sorted().map {
        $0.hasPrefix(folder) ? String($0.dropFirst(folder.count)) : $0
      }
      output.write("\n\(names.joined(separator: ", "))")
      // A file that cannot be read may be whole again in a moment.
      guard let tests = try? choice.chosen().tests else {
        output.flush()
        continue
      }
      reached = Self.reached(by: tests)
      files = Self.files(in: reached)
      watch.add(files)
      let chosen = zip(tests, reached).filter { _, reach in
        !reach.isComplete || changed.contains(where: reach.contains)
      }.map(\.0)
      if chosen.isEmpty {
        output.write("no test looks at it")
      } else {
        try perform(chosen)
      }
      say(tests.count)
    }
  }

  private func say(_ count: Int) {
    output.write("watching \(count) \(count == 1 ? "test" : "tests"); Ctrl-C ends")
    output.flush()
  }

  /// The scripts that the paths stand for now.
  private func scripts() -> Set<String> {
    let search = TestSearch(choice.settings.paths, leavingOut: choice.settings.fixtures)
    return Set(search.scripts.map { RealPath.ofMissing($0.path) })
  }

  private static func reached(by tests: [PreparedTest]) -> [ReachedFiles.Reach] {
    let files = ReachedFiles()
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
