#if canImport(RecordedApps)
import Basics
import LogReplay
import RandomLaws
import RecordedApps
import ScriptWorlds
import Testing

/// Logs of the recorder itself, from random sessions.
@Suite("Recorded sessions")
struct RecordedSessionTests {
  private static func diagnosis(_ log: [UInt8]) throws -> Diagnosis {
    Diagnosis(try LogReader.read(log, named: "session"))
  }

  @Test("No mistake is found in sessions without a mistake")
  func rightSessions() throws {
    for seed in LawSeeds(seconds: 0.6, atLeast: 20) {
      let diagnosis = try Self.diagnosis(RecordedApp(seed: seed).log)
      guard diagnosis.mistakes.isEmpty else {
        Issue.record("seed \(seed): \(diagnosis.lines.joined(separator: "\n"))")
        return
      }
    }
  }

  @Test("No mistake is found if reading stops in a session without a mistake")
  func cutSessions() throws {
    for seed in LawSeeds(seconds: 0.3, atLeast: 10) {
      var random = SeededGenerator(seed: seed)
      let log = try RecordedApp(seed: seed).log
      var options = LogReader.Options()
      options.limit = random.number(1...log.count)
      // A limit within the first line leaves nothing to read.
      guard let read = try? LogReader.read(log, named: "session", options) else { continue }
      let diagnosis = Diagnosis(read)
      guard diagnosis.mistakes.isEmpty else {
        Issue.record("seed \(seed): \(diagnosis.lines.joined(separator: "\n"))")
        return
      }
    }
  }

  @Test("No mistake is found if the log of a session without a mistake ends early")
  func shortSessions() throws {
    for seed in LawSeeds(seconds: 0.3, atLeast: 10) {
      var random = SeededGenerator(seed: seed)
      let log = try RecordedApp(seed: seed).log
      let short = Array(log.prefix(random.number(1...log.count)))
      // Not every beginning has a whole line.
      guard let read = try? LogReader.read(short, named: "session") else { continue }
      let diagnosis = Diagnosis(read)
      guard diagnosis.mistakes.isEmpty else {
        Issue.record("seed \(seed): \(diagnosis.lines.joined(separator: "\n"))")
        return
      }
    }
  }

  private static func kinds(of mistake: AppMistake) -> Set<LogMistake.Kind> {
    switch mistake {
    case .forgottenRow: [.missingOperation]
    case .forgottenSection: [.missingSectionOperation]
    case .wrongRow: [.staleOperation]
    case .reloadForMove: [.reloadForMove]
    case .lateOperation: [.operationOutsideUpdates]
    case .missingEnd: [.unfinishedUpdates]
    }
  }

  @Test("A mistake of the app is found and named", arguments: AppMistake.allCases)
  func mistakes(mistake: AppMistake) throws {
    var found = 0
    // A session need not make the mistake, and a mistake need not have an effect.
    for seed in LawSeeds(seconds: 0.2, atLeast: 10) {
      let app = try RecordedApp(seed: seed, mistake: mistake)
      guard app.hasMistake else { continue }
      let diagnosis = try Self.diagnosis(app.log)
      guard app.hasEffect else {
        #expect(diagnosis.mistakes.isEmpty, "seed \(seed)")
        continue
      }
      found += 1
      guard let found = diagnosis.mistakes.first, Self.kinds(of: mistake).contains(found.kind)
      else {
        Issue.record(
          "seed \(seed), \(mistake): \(diagnosis.lines.joined(separator: "\n"))")
        return
      }
    }
    #expect(found > 0 || !LawSeeds.areMany)
  }

  @Test("The script of a mistake runs, and raises what the app's table raised")
  func scripts() throws {
    for seed in 20_000..<UInt64(20_040) {
      let mistake = AppMistake.allCases[Int(seed) % AppMistake.allCases.count]
      let app = try RecordedApp(seed: seed, mistake: mistake)
      let diagnosis = try Self.diagnosis(app.log)
      let script = try ReproducingScript(diagnosis)
      let world = try ScriptWorld(script.text)
      let mended = try ScriptWorld(script.mended).lines
      #expect(!mended.contains { $0.contains("Serious application error") }, "seed \(seed)")
      guard mistake == .forgottenSection, app.hasEffect else { continue }
      let consequence = try #require(diagnosis.mistakes.first?.consequence)
      let raised = world.lines.first { $0.contains("Serious application error") }
      // Other sections of the turn have no operations either, so the numbers may differ.
      #expect(
        raised?.contains("invalid number of sections") == true, "seed \(seed): \(consequence)")
    }
  }

  @Test("A callback that was made wrong is found and named", arguments: PlantedLog.Plant.allCases)
  func plants(plant: PlantedLog.Plant) throws {
    var found = 0
    for seed in LawSeeds(seconds: 0.1, atLeast: 10, from: 10_000) {
      var random = SeededGenerator(seed: seed)
      let app = try RecordedApp(seed: seed)
      guard let planted = PlantedLog(app.log, plant, &random) else { continue }
      found += 1
      let diagnosis = try Self.diagnosis(planted.bytes)
      guard diagnosis.mistakes.map(\.kind) == [plant.kind],
        planted.line == nil || diagnosis.mistakes.first?.line == planted.line
      else {
        Issue.record("seed \(seed), \(plant): \(diagnosis.lines.joined(separator: "\n"))")
        return
      }
    }
    #expect(found > 0 || !LawSeeds.areMany)
  }
}
#endif
