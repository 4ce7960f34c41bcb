import Basics
import Foundation
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax

/// The settings in a `frc.toml`; nil for what the command line decides.
struct ProjectSettings: Equatable {
  var paths: [String]?
  /// Patterns of scripts that are included by others and are not tests.
  var fixtures: [String]?
  var timeout: Duration?
  /// The memory limit, in bytes.
  var maxMemory: Int?
  /// The output limit, in bytes.
  var maxOutput: Int?
  var jobs: Int?
  var locale: String?
  var stores: [TestStore]?
  var reports: [ReportTarget]?
  var warningsAsErrors: Bool?
  /// The allowed paths outside of the project's folder.
  var allow: Allowed?

  /// Paths of files and folders.
  struct Allowed: Equatable {
    var read: [String] = []
    var write: [String] = []
  }

  init() {}

  /// The reason why a file cannot be used.
  struct Failure: Error, Equatable {
    let file: String
    /// The line number, counted from 1; nil if the error has no line.
    let line: Int?
    let reason: String

    var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(reason)" }
  }

  private enum Key: String, CaseIterable {
    case paths, fixtures, timeout, jobs, locale, stores, reports
    case maxMemory = "max-memory"
    case maxOutput = "max-output"
    case warningsAsErrors = "warnings-as-errors"
    case allow

    /// A description of the expected value.
    var need: String {
      switch self {
      case .paths: "a list of at least one text"
      case .fixtures: "a list of texts"
      case .timeout: "a time such as \"500ms\", \"5s\" or \"2min\""
      case .maxMemory, .maxOutput: "a size such as \"64kB\", \"500MB\" or \"2GB\""
      case .jobs: "a whole number, at least 1"
      case .locale: "a text such as \"de_AT\""
      case .stores:
        "a list of stores: \(TestStore.allCases.map { "\"\($0)\"" }.joined(separator: ", "))"
      case .reports: "a list of reports such as \"junit=FILE\""
      case .warningsAsErrors: "true or false"
      case .allow: "a table such as { read = [\"../Models\"], write = [\"../Reports\"] }"
      }
    }
  }

  /// Parses the text of a file.
  ///
  /// - Throws: ``Failure``, also for an unknown key.
  init(_ text: String, name: String) throws(Failure) {
    let table: TOMLTable
    do throws(TOMLError) {
      table = try TOMLReader.table(in: text)
    } catch {
      throw Failure(file: name, line: error.line, reason: error.reason)
    }
    for entry in table.entries {
      guard let key = Key(rawValue: entry.key) else {
        throw Failure(file: name, line: entry.line, reason: Self.unknown(entry.key))
      }
      guard take(entry.value, for: key) else {
        throw Failure(
          file: name, line: entry.line, reason: "'\(entry.key)' has to be \(key.need)")
      }
    }
  }

  private mutating func take(_ value: TOMLValue, for key: Key) -> Bool {
    switch key {
    case .paths:
      paths = Self.texts(value)
      return paths?.isEmpty == false
    case .fixtures:
      fixtures = Self.texts(value)
      return fixtures != nil
    case .timeout:
      timeout = value.string.flatMap { Duration(words: $0) }
      return timeout != nil
    case .maxMemory:
      maxMemory = value.string.flatMap { Int(wordsOfBytes: $0) }
      return maxMemory != nil
    case .maxOutput:
      maxOutput = value.string.flatMap { Int(wordsOfBytes: $0) }
      return maxOutput != nil
    case .jobs:
      jobs = value.int
      return jobs.map { $0 >= 1 } ?? false
    case .locale:
      locale = value.string
      return locale != nil
    case .stores:
      stores = Self.texts(value).flatMap { texts in
        let stores = texts.compactMap { TestStore(rawValue: $0) }
        return stores.count == texts.count && !stores.isEmpty ? stores : nil
      }
      return stores != nil
    case .reports:
      reports = Self.texts(value).flatMap { texts in
        let reports = texts.compactMap { ReportTarget(argument: $0) }
        return reports.count == texts.count ? reports : nil
      }
      return reports != nil
    case .warningsAsErrors:
      warningsAsErrors = value.bool
      return warningsAsErrors != nil
    case .allow:
      allow = Self.allowed(value)
      return allow != nil
    }
  }

  private static func texts(_ value: TOMLValue) -> [String]? {
    guard case .array(let values) = value else { return nil }
    let texts = values.compactMap(\.string)
    return texts.count == values.count ? texts : nil
  }

  private static func allowed(_ value: TOMLValue) -> Allowed? {
    guard case .table(let table) = value else { return nil }
    var allowed = Allowed()
    for entry in table.entries {
      guard let paths = texts(entry.value), !paths.contains("") else { return nil }
      switch entry.key {
      case "read": allowed.read = paths
      case "write": allowed.write = paths
      default: return nil
      }
    }
    return allowed
  }

  private static func unknown(_ word: String) -> String {
    let words = Key.allCases.map(\.rawValue)
    let near = nearestName(to: word, among: words)
    return "unknown key '\(word)'; "
      + (near.map { "did you mean '\($0)'?" } ?? "there are \(words.joined(separator: ", "))")
  }

  /// Returns the settings with paths that are relative to the working folder.
  func relative(to way: String) -> ProjectSettings {
    guard !way.isEmpty else { return self }
    var settings = self
    func moved(_ paths: [String]) -> [String] {
      paths.map { $0.hasPrefix("/") ? $0 : way + $0 }
    }
    settings.paths = paths.map(moved)
    settings.allow = allow.map { Allowed(read: moved($0.read), write: moved($0.write)) }
    settings.reports = reports?.map { $0.relative(to: way) }
    return settings
  }
}

/// The project around the working folder: its folder, and the settings in its `frc.toml`.
struct Project {
  /// The folder that contains `.frc`: the folder of `frc.toml`, or else the root of the repository,
  /// or else the working folder.
  let folder: String
  let settings: ProjectSettings

  /// The name of the settings file.
  static let fileName = "frc.toml"

  /// Looks for `frc.toml` in a folder and its parents, up to the root of the repository.
  ///
  /// Outside of a repository, only the folder itself is searched.
  init(from start: String = RealPath.workingFolder) throws(ProjectSettings
    .Failure)
  {
    let folders = Self.folders(from: start)
    guard let place = folders.firstIndex(where: Self.hasSettings) else {
      folder = folders.last ?? start
      settings = ProjectSettings()
      return
    }
    folder = folders[place]
    // Paths are relative to the working folder.
    let way = String(repeating: "../", count: place)
    let name = way + Self.fileName
    let bytes: [UInt8]
    do throws(UnreadableSource) {
      // In a repository, `frc.toml` may be a link to another file in it.
      let top = Permissions(roots: [RealPath.ofMissing(folders.last ?? folder)])
      let path = folder + "/" + Self.fileName
      let real = RealPath.ofMissing(path)
      guard top.refusal(.reading, of: real) == nil else {
        throw UnreadableSource(reason: "it is a link out of the project, to '\(real)'")
      }
      guard Self.exists(path) else {
        throw UnreadableSource(reason: "it is a link that leads to no file")
      }
      bytes = try top.contents(of: path)
    } catch {
      throw ProjectSettings.Failure(file: name, line: nil, reason: error.reason)
    }
    settings = try ProjectSettings(String(decoding: bytes, as: UTF8.self), name: name)
      .relative(to: way)
  }

  /// Returns the paths where `frc.toml` is searched, whether or not they exist.
  static func files(from start: String = RealPath.workingFolder) -> [String] {
    folders(from: start).map { $0 + "/" + fileName }
  }

  /// Returns the folder in which the tests of a path may read.
  ///
  /// It is the folder of `frc.toml`, or the root of the repository, or else the named folder or the
  /// folder of the named file.
  ///
  /// A link in a project to a folder outside of it does not make that folder the root, because the
  /// author of the link would decide what is read. The person who runs the tests can name the
  /// folder itself.
  ///
  /// - Returns: A real path.
  static func root(ofTests path: String) -> String {
    let working = RealPath.ofMissing(".")
    let real = RealPath.ofMissing(path)
    let isPiped = path == "-" || FileEnvironment.openDescriptor(path) != nil
    let isFolder = (try? FileStatus(path))?.kind == .folder
    // A link to a file does not change the suite. `FILE:LINE` is in the same folder as `FILE`.
    let own =
      isPiped ? working : isFolder ? real : RealPath.ofMissing(Self.folder(ofFile: path))
    let project = root(around: working)
    if project.isMarked, RealPath.isBelow(project.folder, own) { return project.folder }
    return folder(leftBy: path, project) ?? root(around: own).folder
  }

  /// Returns the folder of the project out of which a link in a path leads; nil if there is none.
  ///
  /// - Parameter working: The project around the working folder.
  private static func folder(
    leftBy path: String, _ working: (folder: String, isMarked: Bool)
  ) -> String? {
    var parent = path.hasPrefix("/") ? "/" : "."
    for part in path.split(separator: "/") {
      let place = parent + "/" + part
      defer { parent = place }
      guard (try? FileStatus(place, followsLinks: false))?.kind == .special,
        (try? FileStatus(place))?.kind == .folder
      else { continue }
      let linking = RealPath.ofMissing(parent)
      let isWorking = working.isMarked && RealPath.isBelow(working.folder, linking)
      let project = isWorking ? working : root(around: linking)
      if project.isMarked, !RealPath.isBelow(project.folder, RealPath.ofMissing(place)) {
        return project.folder
      }
    }
    return nil
  }

  private static func folder(ofFile path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  /// - Returns: The folder, and whether a file or folder marks it as that of a project.
  private static func root(around start: String) -> (folder: String, isMarked: Bool) {
    let folders = folders(from: start)
    if let folder = folders.first(where: hasSettings) { return (folder, true) }
    let top = folders.last ?? start
    return (top, exists(top + "/.git"))
  }

  /// Returns a folder and its parents up to the root of the repository; only the folder itself
  /// outside of one.
  private static func folders(from start: String) -> [String] {
    var folders = [start]
    while let folder = folders.last {
      if exists(folder + "/.git") { return folders }
      if folder == "/" { break }
      folders.append(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
    }
    return [start]
  }

  /// Whether `frc.toml` is in a folder, also as a link that leads nowhere, which is an error.
  private static func hasSettings(_ folder: String) -> Bool {
    (try? FileStatus(folder + "/" + fileName, followsLinks: false)) != nil
  }

  private static func exists(_ path: String) -> Bool { (try? FileStatus(path)) != nil }
}

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
  /// What sets the locale: the option, or the key of `frc.toml`.
  let localeOrigin: String
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
    let isLocaleOfFile = options.locale == nil && file.locale != nil
    localeOrigin = isLocaleOfFile ? "'locale' in \(Project.fileName)" : "--locale"
    suite.stores = options.namedStores ?? file.stores ?? [.memory]
    suite.timeout =
      options.limits.timeout.flatMap { Duration(words: $0) }.map {
        TimeLimit($0, setBy: "--timeout")
      }
      ?? file.timeout.map { TimeLimit($0, setBy: "'timeout' in \(Project.fileName)") }
      ?? TimeLimit(TestDirectives.defaultTimeout, setBy: "--timeout")
    suite.limits = [
      Self.limit(.memory, "max-memory", options.limits.maxMemory, file.maxMemory),
      Self.limit(.output, "max-output", options.limits.maxOutput, file.maxOutput),
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
