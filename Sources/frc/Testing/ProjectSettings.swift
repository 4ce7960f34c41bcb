import Basics
import GoldenTesting

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
      case .paths, .fixtures: "a list of texts"
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
