/// Options whose value may be left out.
///
/// The argument parser does not support them: it would take the following path for the value.
enum OptionalValues {
  /// For each such option, the name of the option that takes its value.
  private static let options = [
    "--changed": "--changed-since", "--list": "--list-form", "--update": "--update-kind",
  ]

  /// Returns the program's arguments.
  ///
  /// For `frc test`, each such value becomes an option of its own, so `--list=json` becomes
  /// `--list-form=json`.
  ///
  /// - Parameter isFile: Returns whether a file exists. After `--changed`, a word that is not a
  ///   file is a revision.
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
