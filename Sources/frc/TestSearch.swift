import Foundation
import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// Finds the tests that paths name.
enum TestSearch {
  /// Returns the tests in order of the paths, those of a folder sorted by
  /// path, and a message for each path that names none.
  static func tests(at paths: [String]) -> (tests: [GoldenTest], failures: [String]) {
    var tests: [GoldenTest] = []
    var failures: [String] = []
    for path in paths {
      do {
        tests += try self.tests(at: path)
      } catch {
        failures.append("cannot test '\(path)': \(error.reason)")
      }
    }
    return (tests, failures)
  }

  private static func tests(at path: String) throws(UnreadableSource) -> [GoldenTest] {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else { return [try test(path, line: nil)] }
      let files = scripts(in: path)
      if files.isEmpty { throw UnreadableSource(reason: "no *.frc file in this folder") }
      var tests: [GoldenTest] = []
      for file in files { tests.append(try test(file, line: nil)) }
      return tests
    }
    if let colon = path.lastIndex(of: ":"), let line = Int(path[path.index(after: colon)...]) {
      return [try test(String(path[..<colon]), line: line)]
    }
    throw UnreadableSource(reason: "no such file")
  }

  private static func scripts(in path: String) -> [String] {
    var folder = path
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    let files = FileManager.default.enumerator(atPath: folder)
    var found: [String] = []
    while let file = files?.nextObject() as? String {
      let isHidden = file.split(separator: "/").contains { $0.hasPrefix(".") }
      if file.hasSuffix(".frc"), !isHidden { found.append(folder + "/" + file) }
    }
    return found.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  private static func test(_ path: String, line: Int?) throws(UnreadableSource) -> GoldenTest {
    let source = try FileEnvironment.read(path)
    let golden = FileManager.default.contents(atPath: goldenPath(of: path))
    let test = GoldenTest(
      source: source, golden: golden.map { String(decoding: $0, as: UTF8.self) }, line: line)
    if let line, !test.hasStatement(on: line) {
      throw UnreadableSource(reason: "no top-level statement on line \(line)")
    }
    return test
  }

  /// The path of the golden file beside a script.
  static func goldenPath(of path: String) -> String {
    (path.hasSuffix(".frc") ? String(path.dropLast(4)) : path) + ".golden"
  }
}
