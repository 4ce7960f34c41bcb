/// The longest time that a run may take.
package struct TimeLimit: Hashable, Sendable {
  package let duration: Duration
  /// The setting that raises the limit: `#@ timeout`, an option, or a key of a file.
  package let setting: String

  /// - Parameter setting: The setting of the limit, as messages name it.
  package init(_ duration: Duration, setBy setting: String) {
    self.duration = duration
    self.setting = setting
  }

  /// The message: `timed out after 10 s; raise the limit with --timeout`.
  package var words: String {
    "timed out after \(duration.words); raise the limit with \(setting)"
  }
}
