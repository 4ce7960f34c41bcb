import Foundation
import RepositoryFiles
import Testing

/// Compares the test runner's output for folders of scripts, and the result of an update, byte by
/// byte.
///
/// Each folder of `TestFixtures` has the original files in `before`, and those after an update in
/// `after`. `test.txt`, `json.txt` and `update.txt` have the output and exit status of `frc test`,
/// `frc test --json` and `frc test --update`. `FRC_RECORD=1` writes everything except the original
/// files, and fails.
struct TestFixtureTests {
  private static let root = RepositoryFiles.url("Tests/frcTests/TestFixtures")

  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? [])
    .sorted()

  private static let isRecording = ProcessInfo.processInfo.environment["FRC_RECORD"] != nil

  @Test("what the runner says, and what an update leaves", arguments: names)
  func fixture(name: String) throws {
    let fixture = Self.root.appendingPathComponent(name)
    let before = try files(in: fixture.appendingPathComponent("before"))
    let program = try FRCProgram()
    for (path, bytes) in before { try program.write(bytes, to: path) }

    try compare(try program.run("test", "."), with: fixture.appendingPathComponent("test.txt"))
    try compare(
      try program.run("test", "--json", "--jobs", "1", "."),
      with: fixture.appendingPathComponent("json.txt"))
    #expect(try files(in: program.folder) == before, "a test writes nothing")
    try compare(
      try program.run("test", "--update", "."), with: fixture.appendingPathComponent("update.txt"))
    try compare(try files(in: program.folder), with: fixture.appendingPathComponent("after"))
  }

  @Test("there is a fixture for every kind of failure")
  func kinds() throws {
    let said = try Self.names.map {
      try String(contentsOf: Self.root.appendingPathComponent($0 + "/json.txt"), encoding: .utf8)
    }.joined()
    let kinds = [
      "output", "strayExpectation", "error", "timeout", "unreached", "syntax", "conflict",
      "unexpectedPass", "strayGolden",
    ]

    #expect(kinds.filter { !said.contains(#""kind":"\#($0)""#) } == [])
  }

  private func compare(_ result: FRCProgram.Result, with file: URL) throws {
    let text = result.output + result.errors + "status \(result.status)\n"
    if Self.isRecording {
      try Data(text.utf8).write(to: file)
      Issue.record("recorded \(file.path)")
    }
    #expect(text == (try String(contentsOf: file, encoding: .utf8)))
  }

  private func compare(_ files: [String: [UInt8]], with folder: URL) throws {
    if Self.isRecording {
      try? FileManager.default.removeItem(at: folder)
      for (path, bytes) in files {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
      }
    }
    let expected = try self.files(in: folder)
    #expect(files.keys.sorted() == expected.keys.sorted())
    for (path, bytes) in files { #expect(bytes == expected[path], "\(path)") }
  }

  /// Returns the bytes of the files in a folder by their relative paths, without hidden files.
  private func files(in folder: URL) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let enumerator = FileManager.default.enumerator(atPath: folder.path)
    while let path = enumerator?.nextObject() as? String {
      let file = folder.appendingPathComponent(path)
      if path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) { continue }
      if (try? FileManager.default.contentsOfDirectory(atPath: file.path)) != nil { continue }
      files[path] = Array(try Data(contentsOf: file))
    }
    return files
  }
}
