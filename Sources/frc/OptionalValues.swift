/// Options whose value may be left out, which the parser of arguments does not
/// have: it would take the path that follows for the value.
enum OptionalValues {
  /// The option that takes the value, by the one without.
  private static let options = [
    "--changed": "--changed-since", "--list": "--list-form", "--update": "--update-kind",
  ]

  /// Returns the program's arguments; those of `frc test` with each such value as
  /// an option of its own, `--list=json` as `--list-form=json`.
  ///
  /// - Parameter isFile: Whether there is a file of a name. A revision may follow
  ///   `--changed` as a word of its own if there is none.
  static func separated(
    _ arguments: some Sequence<String>, isFile: (String) -> Bool
  ) -> [String] {
    let arguments = Array(arguments)
    guard arguments.first == "test" else { return arguments }
    var result: [String] = []
    var mayBeRevision = false
    var isOver = false
    for argument in arguments {
      defer { mayBeRevision = argument == "--changed" }
      if mayBeRevision, !isOver, !argument.hasPrefix("-"), !isFile(argument) {
        result[result.count - 1] = "--changed-since"
      }
      isOver = isOver || argument == "--"
      guard !isOver, let end = argument.firstIndex(of: "="),
        let option = options[String(argument[..<end])]
      else {
        result.append(argument)
        continue
      }
      result.append(option + argument[end...])
    }
    return result
  }
}
