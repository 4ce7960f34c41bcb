import Conformance
import Foundation
import RepositoryFiles
import ScriptExport
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

struct GoldenExportTests {
  @Test("at least 60 % of the goldens and examples can be exported; the page counts the reasons")
  func share() throws {
    var exported = 0
    var refused: [ExportRefusal.Reason: Int] = [:]
    for path in RepositoryFiles.scripts {
      switch Self.exports[path] {
      case .success: exported += 1
      case .failure(let refusal): refused[refusal.reason, default: 0] += 1
      case nil: Issue.record("\(path) was not exported")
      }
    }
    let total = RepositoryFiles.scripts.count
    let table = refused.sorted { ($0.value, $1.key.rawValue) > ($1.value, $0.key.rawValue) }
      .map { "| \($0.key.rawValue) | \($0.value) |" }

    print("exported \(exported) of \(total)", table.joined(separator: "\n"), separator: "\n")
    #expect(exported * 100 >= total * 60)
    let page = try RepositoryFiles.text("Documentation/Conformance.md")
    for line in table { #expect(page.contains(line), "Documentation/Conformance.md") }
    #expect(page.contains("\(exported) of \(total) scripts"))
  }

  @Test("every script with observers is a test for SwiftData, except those that it cannot have")
  func observers() throws {
    let observing = try RepositoryFiles.scripts.filter {
      try ScriptFolder.script(at: $0).hasObservers
    }
    #expect(observing.count > 30)
    var leftOut: [String: ExportRefusal.Reason] = [:]
    for path in observing {
      switch Self.exports[path] {
      case .success(.swiftData): break
      case .failure(let refusal): leftOut[path] = refusal.reason
      case .success(.coreData), nil: Issue.record("\(path) is no test for SwiftData")
      }
    }
    let goldens = "Tests/GoldenTests/Goldens/"
    #expect(
      leftOut == [
        goldens + "observers/contexts.frc": .nestedContexts,
        goldens + "observers/reset.frc": .refreshInSwiftData,
        // All of their observers have 'updates turns'.
        goldens + "observers/turns.frc": .requestInSwiftData,
        goldens + "swift/observer-turns.frc": .requestInSwiftData,
        // Its predicate has 'CONTAINS[c]'.
        goldens + "swift/observer.frc": .requestInSwiftData,
      ])
  }

  @Test(
    "an exported script has the same events through Apple's names",
    arguments: RepositoryFiles.scripts)
  func events(path: String) throws {
    guard case .success(.coreData(let exported)) = Self.exports[path] else { return }

    let comparison = try Comparison(Script(exported))

    #expect(comparison.report == nil)
    #expect(!comparison.expected.isEmpty)
  }

  /// All scripts, exported once for the tests of this file.
  private static let exports: [String: Result<Export, ExportRefusal>] = {
    var exports: [String: Result<Export, ExportRefusal>] = [:]
    for path in RepositoryFiles.scripts {
      do throws(ExportRefusal) {
        exports[path] = .success(try export(path))
      } catch {
        exports[path] = .failure(error)
      }
    }
    return exports
  }()

  private static func export(_ path: String) throws(ExportRefusal) -> Export {
    guard let script = try? ScriptFolder.script(at: path) else {
      throw ExportRefusal(line: nil, reason: .syntaxErrors)
    }
    return try ScriptExporter(environment: FolderEnvironment(keepsCaches: false)).export(
      script, named: path)
  }
}

extension Script {
  init(_ exported: ExportedScript) {
    func lines(_ values: [JSON]) -> String { values.map { "\($0)\n" }.joined() }
    self.init(
      name: exported.name, store: exported.store, usesUndo: exported.usesUndo,
      entities: lines(exported.entities), steps: lines(exported.steps),
      events: exported.events.map { "\($0.line) \($0.event)\n" }.joined())
  }
}
