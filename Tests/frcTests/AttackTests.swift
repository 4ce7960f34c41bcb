import Foundation
import RepositoryFiles
import Testing

/// A table of attacks: what untrusted scripts and folders try, and what happens.
///
/// Each file of `Attacks` is one attack. It has a sentence, then parts that begin with `== `.
/// `setup` is a shell script that creates the folder, and `run` is the attack, also a shell script.
/// `status`, `output` and `errors` are the exact results, with `ROOT` for the folder. `after`, if
/// it is present, is a shell script that must succeed after the attack. `FRC_RECORD=1` writes the
/// results into the files, and fails.
///
/// Every attack starts in a folder with `suite`, which has the untrusted files, and `outside`,
/// whose files contain `hunter2`. That word is also in the program's environment, and must never be
/// printed.
@Suite("Attacks by scripts and folders from strangers")
struct AttackTests {
  private static let root = RepositoryFiles.url("Tests/frcTests/Attacks")
  private static let isRecording = ProcessInfo.processInfo.environment["FRC_RECORD"] != nil
  private static let secret = "hunter2"

  /// One row of the table.
  struct Attack: CustomTestStringConvertible, Sendable {
    let name: String
    let sentence: String
    var parts: [String: String]

    init(_ name: String) throws {
      self.name = name
      let text = try String(
        contentsOf: AttackTests.root.appendingPathComponent(name), encoding: .utf8)
      var pieces = ("\n" + text).components(separatedBy: "\n== ")
      sentence = pieces.removeFirst().trimmingCharacters(in: .newlines)
      parts = [:]
      for piece in pieces {
        let (title, body) = piece.splitOnce("\n")
        parts[title] = body
      }
    }

    subscript(part: String) -> String {
      get { parts[part] ?? "" }
      set { parts[part] = newValue }
    }

    var text: String {
      let order = ["setup", "run", "after", "status", "output", "errors"]
      return sentence + "\n"
        + order.compactMap { title in
          parts[title].flatMap { body in
            body.isEmpty ? nil : "== \(title)\n" + body + (body.hasSuffix("\n") ? "" : "\n")
          }
        }.joined()
    }

    var testDescription: String { name }
  }

  static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? [])
    .filter { $0.hasSuffix(".txt") }.sorted()

  @Test("there are as many attacks as were written")
  func count() { #expect(Self.names.count >= 60) }

  @Test("what happens", arguments: names)
  func attack(name: String) throws {
    var attack = try Attack(name)
    let program = try FRCProgram()
    for (name, text) in [
      ("secret.txt", "hunter2\n"), ("secret.frc", "print 1\nhunter2 is no statement\n"),
      ("books.csv", "title\nhunter2\n"), ("books.json", "[{\"title\": \"hunter2\"}]\n"),
      ("m.xcdatamodel/contents", "<model><entity name=\"Book\"/><hunter2></model>\n"),
    ] { try program.write(text, to: "outside/" + name) }
    try program.write("", to: "suite/frc.toml")
    let environment = ["SECRET": Self.secret, "HOME": program.folder.path + "/home"]
    let root = program.folder.resolvingSymlinksInPath().path
    let setup = try program.shell("set -e; " + attack["setup"])
    try #require(setup.status == 0, "\(setup)")

    let result = try program.shell(
      "frc() { timeout 20 frc \"$@\"; }\n" + attack["run"], environment: environment)

    for text in [result.output, result.errors] { #expect(!text.contains(Self.secret)) }
    let left = try program.shell("grep -rl hunter2 suite || true").output
    #expect(left == "", "files of the suite hold what was outside")
    if !attack["after"].isEmpty {
      let after = try program.shell("set -e; " + attack["after"])
      #expect(after.status == 0, "\(after)")
    }
    func shown(_ text: String) -> String { text.replacingOccurrences(of: root, with: "ROOT") }
    if Self.isRecording {
      attack["status"] = "\(result.status)\n"
      attack["output"] = shown(result.output)
      attack["errors"] = shown(result.errors)
      try attack.text.write(
        to: Self.root.appendingPathComponent(name), atomically: true, encoding: .utf8)
      Issue.record("recorded")
      return
    }
    #expect("\(result.status)\n" == attack["status"])
    #expect(shown(result.output) == attack["output"])
    #expect(shown(result.errors) == attack["errors"])
  }
}

extension String {
  fileprivate func splitOnce(_ separator: String) -> (String, String) {
    guard let range = range(of: separator) else { return (self, "") }
    // The line end of the last line belongs to the part.
    let rest = String(self[range.upperBound...])
    return (
      String(self[..<range.lowerBound]), rest.isEmpty || rest.hasSuffix("\n") ? rest : rest + "\n"
    )
  }
}
