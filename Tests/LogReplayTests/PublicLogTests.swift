import Foundation
import LogReplay
import RepositoryFiles
import ScriptWorlds
import Testing

/// Crash logs and delegate logs in the shapes that developers published, with frc's diagnosis of
/// each.
///
/// The first line of each text is the address of the source, or says what the log shows.
/// `FRC_RECORD=1` writes the texts and scripts again.
@Suite("Public logs")
struct PublicLogTests {
  private static let folder = RepositoryFiles.url("Tests/LogReplayTests/Logs")

  static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".log") }.map { String($0.dropLast(4)) }.sorted()

  private static let isRecording = ProcessInfo.processInfo.environment["FRC_RECORD"] != nil

  private func file(_ name: String) -> URL { Self.folder.appendingPathComponent(name) }

  private func text(_ name: String) -> String? {
    try? String(contentsOf: file(name), encoding: .utf8)
  }

  @Test("There are enough logs")
  func number() { #expect(Self.names.count >= 15) }

  @Test("A log has the diagnosis of its text, and the script that is beside it", arguments: names)
  func diagnosis(_ name: String) throws {
    let diagnosis = try diagnosis(of: name)
    let source = try #require(text(name + ".txt")?.split(separator: "\n").first)
    #expect(source.hasPrefix("# "))
    let said = ([String(source)] + diagnosis.lines).joined(separator: "\n") + "\n"
    let script = try? ReproducingScript(diagnosis).text
    if Self.isRecording {
      try said.write(to: file(name + ".txt"), atomically: true, encoding: .utf8)
      try? FileManager.default.removeItem(at: file(name + ".frc"))
      try script?.write(to: file(name + ".frc"), atomically: true, encoding: .utf8)
    }
    #expect(text(name + ".txt") == said)
    #expect(text(name + ".frc") == script)
  }

  /// Exceptions for which no turn of frc raises the same message.
  private static let differing = ["section-change-as-update", "swap"]

  @Test("The script of a log raises the exception of the log", arguments: names)
  func script(_ name: String) throws {
    guard let script = text(name + ".frc"), !Self.differing.contains(name) else { return }
    let diagnosis = try diagnosis(of: name)
    let exceptions = diagnosis.log.entries.compactMap { entry in
      if case .exception(let exception) = entry.event { exception } else { nil }
    }
    let world = try ScriptWorld(script)
    let raised = world.lines.filter { $0.contains("Serious application error") }
    guard let exception = exceptions.first else {
      #expect(raised.isEmpty)
      return
    }
    let said = try #require(raised.first, "\(world.lines.joined(separator: "\n"))")
    let read = try LogReader.read(Array(said.utf8), named: name)
    guard case .exception(let same)? = read.entries.first?.event else {
      Issue.record("\(said)")
      return
    }
    #expect(same.error == exception.error)
  }

  static func bytes(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name + ".log")))
  }

  private func diagnosis(of name: String) throws -> Diagnosis {
    Diagnosis(try LogReader.read(Self.bytes(of: name), named: name + ".log"))
  }
}
