package import GoldenTesting
package import ScriptRuntime
package import ScriptSyntax

/// What the server asks of the program around it, which knows files and processes.
package protocol ServerHost: AnyObject {
  /// Returns the files that a script may read, by the permissions of `frc test`.
  func environment(ofScriptAt path: String) -> any ScriptEnvironment

  /// Returns the test of a script, with its golden file if it has one.
  func test(of source: SourceText) -> GoldenTest

  /// Returns the scripts and the Markdown files of the project around a script that may be read; nil
  /// if there are too many files.
  func scripts(around path: String) -> [SourceText]?

  /// Returns the path of a file without links, by which it is recognized; another text unchanged.
  func realPath(of path: String) -> String

  /// Returns what is wrong with the settings of the project around a script; nil if nothing is.
  func settingsProblem(around path: String) -> SettingsProblem?

  /// Returns the address of the page that explains the rules; nil if it is not installed.
  func rulesPage(around path: String) -> String?

  /// Starts to run a script in the background, after a pause, and cancels its earlier run.
  ///
  /// The host gives the result to the server later, with ``LanguageServer/take(_:)``.
  func startRun(_ request: RunRequest)

  /// Cancels the run of a document, because its text changed or it was closed.
  func cancelRun(of uri: String)

  /// Starts to write a page that plays the file of a document.
  ///
  /// The host gives the result to the server later, with ``LanguageServer/take(page:)``.
  func startPage(of uri: String, path: String)
}

/// What is wrong with a `frc.toml`, without which its settings do not count.
package struct SettingsProblem: Hashable, Sendable {
  package let path: String
  /// The line, counted from 1; nil if the problem has none.
  package let line: Int?
  package let reason: String

  package init(path: String, line: Int?, reason: String) {
    self.path = path
    self.line = line
    self.reason = reason
  }
}

/// A script to run in the background.
package struct RunRequest: Sendable {
  package let uri: String
  /// The version of the document that the result is for.
  package let version: Int
  package let test: PreparedTest
  /// The script with an `explain` after each block, which gives the rules of its callbacks.
  package let explained: PreparedTest?
  /// How long to wait first, in milliseconds.
  package let pause: Int
}

/// The result of a run in the background.
package struct RunResult: Sendable {
  package let uri: String
  package let version: Int
  package let outcome: GoldenOutcome
  /// What the script with an `explain` after each block printed.
  package let explanations: [GoldenRun.Block]

  package init(
    uri: String, version: Int, outcome: GoldenOutcome, explanations: [GoldenRun.Block]
  ) {
    self.uri = uri
    self.version = version
    self.outcome = outcome
    self.explanations = explanations
  }
}

/// A page that plays a script, or why there is none.
package struct PageResult: Sendable {
  package let page: Result<String, UnreadableSource>

  /// - Parameter page: The path of the page.
  package init(page: Result<String, UnreadableSource>) { self.page = page }
}
