/// How long a run may take.
package struct TimeLimit: Hashable, Sendable {
  package let duration: Duration
  /// What sets the limit, as a person would raise it: `#@ timeout`, an option, or a
  /// key of a file.
  package let setting: String

  /// - Parameter setting: What sets the limit, in words.
  package init(_ duration: Duration, setBy setting: String) {
    self.duration = duration
    self.setting = setting
  }
}
