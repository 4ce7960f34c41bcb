import Foundation
import GoldenTesting
import Platform

/// What a run is made with: the command line, then `frc.toml`, then the program's
/// own choice.
struct TestSettings {
  var paths: [String]
  /// Whether the command line names the paths.
  let areNamed: Bool
  /// What scripts may read, and what is written besides.
  let permissions: Permissions
  let fixtures: [String]
  let reports: [ReportTarget]
  /// A report of `frc.toml` that leads out of the project's folder.
  let refusedReport: ReportTarget.Failure?
  let warningsAreErrors: Bool
  /// How the suite is run.
  var suite = GoldenSuite.Options()

  init(
    paths: [String], _ options: RunOptions, reports: [ReportTarget] = [], _ file: ProjectSettings
  ) {
    areNamed = !paths.isEmpty
    self.paths = areNamed ? paths : file.paths ?? []
    permissions = Self.permissions(paths, options, file)
    fixtures = options.fixtures.isEmpty ? file.fixtures ?? [] : options.fixtures
    self.reports = reports.isEmpty ? file.reports ?? [] : reports
    let project = Permissions(
      roots: [Project.root(ofTests: ".")], writes: permissions.writes)
    refusedReport =
      reports.isEmpty ? self.reports.lazy.compactMap { $0.failure(project) }.first : nil
    warningsAreErrors = options.warningsAsErrors ?? file.warningsAsErrors ?? false
    suite.threads = options.jobs ?? file.jobs ?? ProcessInfo.processInfo.activeProcessorCount
    suite.locale = options.locale ?? file.locale ?? "en"
    suite.stores = options.namedStores ?? file.stores ?? [.memory]
    suite.timeout =
      options.timeout.flatMap { Duration(words: $0) }.map { TimeLimit($0, setBy: "--timeout") }
      ?? file.timeout.map { TimeLimit($0, setBy: "'timeout' in \(Project.fileName)") }
      ?? TimeLimit(TestDirectives.defaultTimeout, setBy: "--timeout")
    suite.limits = [
      Self.limit(.memory, "max-memory", options.maxMemory, file.maxMemory),
      Self.limit(.output, "max-output", options.maxOutput, file.maxOutput),
    ]
  }

  /// How much of something a run may take: by the option, the key of the same name, or as a rule.
  private static func limit(
    _ resource: ByteLimit.Resource, _ name: String, _ option: String?, _ key: Int?
  ) -> ByteLimit {
    if let bytes = option.flatMap({ Int(wordsOfBytes: $0) }) {
      return ByteLimit(resource, bytes: bytes, setBy: "--\(name)")
    }
    if let key {
      return ByteLimit(resource, bytes: key, setBy: "'\(name)' in \(Project.fileName)")
    }
    return ByteLimit(resource, bytes: resource.standard, setBy: "--\(name)")
  }

  /// The folders of the suites that the command line names, or the project's alone: what `frc.toml`
  /// names elsewhere, someone has to allow.
  private static func permissions(
    _ paths: [String], _ options: RunOptions, _ file: ProjectSettings
  ) -> Permissions {
    var permissions = options.access.paths.permissions(ofTests: paths.isEmpty ? ["."] : paths)
    if let allowed = file.allow, !options.noAllow {
      permissions.reads += allowed.read.map(RealPath.ofMissing)
      permissions.writes += allowed.write.map(RealPath.ofMissing)
    }
    return permissions
  }
}
