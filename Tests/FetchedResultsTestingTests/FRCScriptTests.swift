import FetchedResultsTesting
import Foundation
import Synchronization
import Testing

@Suite("Golden scripts as cases of a test")
struct FRCScriptTests {
  @Test("a script passes", arguments: FRCScript.all(in: "Scripts"))
  func script(_ script: FRCScript) throws { try script.run() }

  @Test("a script passes on a store in a file, too", arguments: FRCScript.all(in: "Scripts"))
  func sqlite(_ script: FRCScript) throws { try script.run(on: [.memory, .sqlite]) }

  @Test("a folder stands for its scripts and those below, sorted, each named by its path")
  func names() {
    let scripts = FRCScript.all(in: "Scripts")

    #expect(scripts.map(\.testDescription) == ["books.frc", "parts/model.frc", "stores.frc"])
  }

  @Test("each failure is recorded at the line of the script, with what differs")
  func failures() throws {
    let places = Mutex([Int]())

    try withKnownIssue {
      try FRCScript.all(in: "WrongScripts")[0].run()
    } matching: { issue in
      guard let line = issue.sourceLocation?.line else { return false }
      places.withLock { $0.append(line) }
      return issue.sourceLocation?.fileName == "title.frc"
        && issue.comments.first?.rawValue.contains("title.frc:\(line)") == true
    }

    #expect(places.withLock(\.self) == [5, 9])
  }

  @Test("outside of a test the failures are thrown together, each with its place")
  func thrown() async throws {
    // A detached thread does not belong to any test.
    let words = await withCheckedContinuation { continuation in
      Thread {
        do {
          try FRCScript.all(in: "WrongScripts")[0].run()
          continuation.resume(returning: "")
        } catch {
          continuation.resume(returning: "\(error)")
        }
      }.start()
    }

    #expect(words.contains("title.frc:5: output differs\n"))
    #expect(words.contains("title.frc:9:7: error: unknown name 'nothing'"))
  }

  @Test(
    "a folder that is missing, empty or a file fails at the line that names it",
    arguments: [
      ("Nowhere", "there is no folder"), ("EmptyFolder", "no *.frc file in the folder"),
      ("FRCScriptTests.swift", "is a file; name the folder in which it is"),
    ])
  func folder(_ folder: String, _ words: String) throws {
    let scripts = FRCScript.all(in: folder)
    let line = #line - 1

    #expect(scripts.count == 1)
    try withKnownIssue {
      try scripts[0].run()
    } matching: { issue in
      issue.sourceLocation?.line == line
        && issue.comments.first?.rawValue.contains(words) == true
    }
  }
}
