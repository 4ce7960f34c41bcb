import Foundation
import GoldenTesting

/// What a run is made with: the command line, then `frc.toml`, then the program's
/// own choice.
struct TestSettings {
  var paths: [String]
  let fixtures: [String]
  let reports: [ReportTarget]
  let warningsAreErrors: Bool
  /// How the suite is run.
  var suite = GoldenSuite.Options()

  init(
    paths: [String], _ options: RunOptions, reports: [ReportTarget] = [], _ file: ProjectSettings
  ) {
    self.paths = paths.isEmpty ? file.paths ?? [] : paths
    fixtures = options.fixtures.isEmpty ? file.fixtures ?? [] : options.fixtures
    self.reports = reports.isEmpty ? file.reports ?? [] : reports
    warningsAreErrors = options.warningsAsErrors ?? file.warningsAsErrors ?? false
    suite.threads = options.jobs ?? file.jobs ?? ProcessInfo.processInfo.activeProcessorCount
    suite.locale = options.locale ?? file.locale ?? "en"
    suite.stores = options.namedStores ?? file.stores ?? [.memory]
    suite.timeout =
      options.timeout.flatMap { Duration(words: $0) }.map { TimeLimit($0, setBy: "--timeout") }
      ?? file.timeout.map { TimeLimit($0, setBy: "'timeout' in \(Project.fileName)") }
  }
}
