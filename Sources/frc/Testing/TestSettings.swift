import Foundation
import GoldenTesting
import Platform

/// The settings of a run: from the command line, or else from `frc.toml`, or else the program's
/// defaults.
struct TestSettings {
  var paths: [String]
  /// Whether the command line names the paths.
  let areNamed: Bool
  /// The permissions: what scripts may read, and what may be written.
  let permissions: Permissions
  let fixtures: [String]
  let reports: [ReportTarget]
  /// A report in `frc.toml` whose path leads out of the project's folder.
  let refusedReport: ReportTarget.Failure?
  let warningsAreErrors: Bool
  /// The options for running the suite.
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

  /// Returns the limit on a resource: from the option, or else from the key with the same name, or
  /// else the default.
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

  /// Returns the permissions for the folders of the suites that the command line names.
  ///
  /// Without such paths they are for the project's folder only, and other folders in `frc.toml`
  /// must be allowed.
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
