import ArgumentParser
import Basics
import GoldenTesting

/// What a command may read, what its scripts may take, and how signals end it.
///
/// Each command is declared here once. The program acts by this table, and the table of SECURITY.md
/// is printed from it.
struct CommandRules {
  /// The folder below which scripts read files.
  enum Root: String {
    case project = "the project"
    case scriptFolder = "the folder of FILE"
    case workingFolder = "the working folder"
    case named = "only the file that you name"
    case nothing = "nothing"
    case temporary = "the session's temporary folder"
  }

  /// What happens with a link that the command line names.
  enum Links: String {
    case refusedOutside = "refused if it leads out of the root"
    case unquotedOutside = "followed; not quoted if it leads out of its folder"
    case followed = "followed; links beside it are refused"
    case none = "–"
  }

  /// What a script may take.
  enum Limits: String {
    case script = "10 s, 1 GB, 100 MB of output for a script"
    case statements = "10 s for a statement; 1 GB, 100 MB of output"
    case trials = "60 s for a statement, 1 GB"
    case none = "none; Ctrl-C stops it"
    case nothingRuns = "runs no script"
  }

  /// How SIGINT, SIGTERM, SIGHUP, SIGPIPE and the end of the terminal end the command.
  enum Ending: String {
    case atOnce = "all end it"
    case prompt = "SIGINT stops a statement; a second one within a second ends it, as others do"
    case parent = "only its parent ends it"
  }

  let types: [any ParsableCommand.Type]
  /// The commands as SECURITY.md names them; nil for a command that is not for people.
  let names: String?
  let root: Root
  let links: Links
  let limits: Limits
  let ending: Ending
  /// The exit status if the output cannot be written.
  ///
  /// It is 2 where 1 is an answer: a test that fails, a law that breaks, a mistake in a log.
  var errorStatus: Int32 = 1

  static var all: [CommandRules] {
    [
      CommandRules(
        types: [TestCommand.self, ReviewCommand.self], names: "`test`, `review`", root: .project,
        links: .refusedOutside, limits: .script, ending: .atOnce, errorStatus: 2),
      CommandRules(
        types: [CheckCommand.self, FormatCommand.self], names: "`check`, `fmt`", root: .project,
        links: .refusedOutside, limits: .nothingRuns, ending: .atOnce),
      CommandRules(
        types: [FuzzCommand.self, ReduceCommand.self], names: "`fuzz`, `reduce`", root: .project,
        links: .refusedOutside, limits: .trials, ending: .atOnce, errorStatus: 2),
      CommandRules(
        types: [PlayCommand.self, ExportCommand.self], names: "`play`, `export`", root: .project,
        links: .refusedOutside, limits: .script, ending: .atOnce),
      CommandRules(
        types: [LessonCommand.self, LessonCheckCommand.self], names: "`lesson check`",
        root: .project, links: .refusedOutside, limits: .statements, ending: .atOnce),
      CommandRules(
        types: [LessonHandoutCommand.self], names: "`lesson handout`", root: .project,
        links: .refusedOutside, limits: .nothingRuns, ending: .atOnce),
      CommandRules(
        types: [LearnCommand.self], names: "`learn`", root: .project, links: .refusedOutside,
        limits: .statements, ending: .prompt),
      CommandRules(
        types: [RunCommand.self], names: "`run FILE`", root: .scriptFolder,
        links: .unquotedOutside, limits: .none, ending: .atOnce),
      CommandRules(
        types: [WatchCommand.self], names: "`watch STORE FILE`", root: .scriptFolder,
        links: .unquotedOutside, limits: .none, ending: .atOnce),
      CommandRules(
        types: [SessionCommand.self], names: "`-e`, the prompt, standard input",
        root: .workingFolder, links: .none, limits: .none, ending: .prompt),
      CommandRules(
        types: [SchemaCommand.self], names: "`schema STORE`", root: .named, links: .followed,
        limits: .nothingRuns, ending: .atOnce),
      CommandRules(
        types: [ReplayCommand.self], names: "`replay LOG`", root: .project,
        links: .refusedOutside, limits: .script, ending: .atOnce, errorStatus: 2),
      CommandRules(
        types: [LanguageServerCommand.self], names: "`lsp`", root: .project,
        links: .refusedOutside, limits: .script, ending: .atOnce),
      CommandRules(
        types: [ServeCommand.self], names: "`serve`", root: .temporary, links: .none,
        limits: .statements, ending: .atOnce),
      CommandRules(
        types: [SwiftCommand.self], names: "`swift`", root: .nothing, links: .none,
        limits: .nothingRuns, ending: .atOnce),
      CommandRules(
        types: [WorkerCommand.self], names: nil, root: .project, links: .refusedOutside,
        limits: .script, ending: .parent),
      CommandRules(
        types: [PlaygroundWorkerCommand.self], names: nil, root: .temporary, links: .none,
        limits: .statements, ending: .parent),
    ]
  }

  /// Returns the rules of a command; nil for those of the argument parser, such as `help`.
  private static func rules(of command: any ParsableCommand.Type) -> CommandRules? {
    all.first { rules in rules.types.contains { $0 == command } }
  }

  /// Returns the exit status of a command whose output cannot be written.
  static func errorStatus(of command: any ParsableCommand.Type) -> Int32 {
    rules(of: command)?.errorStatus ?? 1
  }

  /// Prepares the process for a command, before it runs.
  static func begin(_ command: any ParsableCommand.Type) {
    switch rules(of: command)?.ending {
    // Only a run of tests has something to do when its reader goes away: it writes reports.
    case .atOnce: KillTimer.begin(needsReader: command != TestCommand.self)
    // The prompt, `-e` and standard input begin their own watch.
    case .prompt where command == LearnCommand.self:
      KillTimer.beginPrompt(farewell: PromptWords.ended)
    case .prompt, .parent, nil: break
    }
  }

  /// Returns why a word of the arguments may be a file that the parser would take for options.
  ///
  /// It would read `-h.frc` as `-h` and ignore the rest. The names of files are not the user's own
  /// words where the shell replaces a pattern such as `*.frc`.
  ///
  /// - Parameter isFile: Returns whether a file exists.
  static func refusal(of arguments: [String], isFile: (String) -> Bool) -> String? {
    let word = arguments.prefix { $0 != "--" }.first { word in
      guard word.hasPrefix("-"), word != "-" else { return false }
      return isFile(word)
        || !word.hasPrefix("--") && !word.dropFirst(2).hasPrefix("=")
          && (GoldenTest.isMarkdown(word) || [".frc", ".golden"].contains(where: word.hasSuffix))
    }
    return word.map { "'\($0)' may be an option or a file; write './\($0)' for the file" }
  }

  /// Returns that a command is unknown whose help the arguments ask for; nil if it is known.
  ///
  /// The argument parser would print the help of another one.
  static func refusal(ofHelp arguments: [String]) -> String? {
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    let asks =
      arguments.first == "help" || arguments.contains { $0 == "--help" || $0 == "-h" }
    let commands = FRC.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard asks, let word = words.first, !word.hasPrefix("-"), word != "help",
      !commands.contains(word)
    else { return nil }
    return "unknown command '\(word)'; "
      + (nearestName(to: word, among: commands).map { "did you mean '\($0)'?" }
        ?? "'frc --help' lists the commands")
  }

  /// Returns that `frc watch` takes the store as an argument; nil if no option names it.
  ///
  /// The argument parser would only report a missing argument, of which the option took the place.
  static func refusal(ofStoreIn arguments: [String]) -> String? {
    let words = arguments.prefix { $0 != "--" }
    let isNamed = words.contains { $0 == "--store" || $0.hasPrefix("--store=") }
    guard words.first == "watch", isNamed, !words.contains("--help"), !words.contains("-h")
    else { return nil }
    return "--store: the first argument names the store; write 'frc watch STORE SCRIPT'"
  }

  /// The table of SECURITY.md.
  static var table: String {
    var rows = [
      ["Command", "Root", "A link that you name", "Limits", "Signals"],
      ["---", "---", "---", "---", "---"],
    ]
    for rules in all {
      guard let names = rules.names else { continue }
      rows.append([
        names, rules.root.rawValue, rules.links.rawValue, rules.limits.rawValue,
        rules.ending.rawValue,
      ])
    }
    return rows.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }
}

extension String {
  /// The text as one word of a shell's command, in quotes if it has other signs than letters.
  var asShellWord: String {
    let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "/._-".contains($0) }
    if isPlain, !isEmpty { return self }
    let quoted = map { "\"\\$`".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    return "\"\(quoted)\""
  }
}

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
  /// `--list-form=json`. A crash text that begins with a method, `-[Book title]: …`, is no option.
  ///
  /// - Parameter isFile: Returns whether a file exists. After `--changed`, a word that is not a
  ///   file is a revision.
  static func separated(
    _ arguments: some Sequence<String>, isFile: (String) -> Bool
  ) -> [String] {
    let arguments = Array(arguments)
    if arguments.first?.hasPrefix("-[") == true { return ["--"] + arguments }
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

  /// Returns a message of the argument parser with the names that the user knows.
  static func shown(_ message: String) -> String {
    options.reduce(message) { message, names in
      message.replacing("\(names.value) <\(names.value.dropFirst(2))>", with: names.key)
        .replacing(names.value, with: names.key)
    }
  }
}
