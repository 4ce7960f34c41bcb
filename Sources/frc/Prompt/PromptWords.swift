import Platform
import PromptTools
import ScriptRuntime

/// The prompt's own messages.
enum PromptWords {
  static let prompt = "frc> "
  static let continuationPrompt = "...> "

  static let banner = ["# frc \(FRC.version)  :help for help"]

  /// The welcome for a first visit: the way to a first callback.
  static var welcome: [String] {
    let lines = Help.firstSteps
    return [
      "# frc \(FRC.version), a playground for fetched results controllers. Try, line by line:"
    ]
      + lines.map { "#   " + $0 }
      + ["# :help explains more, Tab completes, :quit leaves."]
  }

  static func step(_ number: Int) -> String {
    "# step \(number): any key for the next callback, q for the rest"
  }

  static func played(_ statement: Int, of count: Int) -> String {
    "# statement \(statement) of \(count): any key for the next, q for all the rest"
  }

  static let nothingToPlay = "nothing to play yet: no statement has run"

  static let predictionPrompt = "guess> "
  static let predictionWay =
    "# what will be sent? a callback on each line, then an empty line; 'nothing' if nothing; Enter skips"

  static let interrupted = "# interrupted; the session is as before"
  static let interruptedInFile =
    "# interrupted; what it did before stays, since the objects are in a file"
  static let notRestored = "# what it did before could not be undone"
  static let cutOff = "# the rest is not shown"

  static let stopping = "\r\u{1B}[Kstopping …"
  static func stopping(for seconds: Int) -> String {
    stopping + " \(seconds) s; the turn that has begun ends first"
  }

  static let stoppingInWords = "# stopping"

  static let nothingMore = "nothing more to show: the last statement's output is shown whole"
  static let allShown = "# that is all"
  static let showsAll = "# all output is shown whole"
  static let showsScreenful = "# of long output, the first and last rows are shown"
  static let noColor = "# no colours here: NO_COLOR, --color never or the terminal rules them out"
  static let shellUsage = "write a command of the shell after '!', as in '!ls'"
  static let nothingToRerun = "nothing to run again yet"

  static func moreLeft(_ count: Int) -> String { "# \(count.grouped) left: :more, :page or :all" }

  static func lost(_ count: Int) -> String {
    "# the last \(count.grouped) lines were not kept; run the statement after :all on"
  }

  static func noEntry(_ text: String, last: Int) -> String {
    "no entries '\(text)' in the history; :history lists them"
      + (last > 0 ? ", from 1 to \(last)" : "")
  }

  static func pagerFailed(_ pager: String) -> String {
    "'\(pager)' exited with an error; $PAGER names the pager of :page"
  }

  static let noEditor =
    "Only the system edits lines here, because the output is not a terminal that TERM names."

  static var unknownTerminal: String {
    "# TERM=\(TerminalSettings.kind) is unknown on this system; it is treated as an xterm"
  }

  static let tryHint = "# :try runs the example"

  static func duration(_ duration: Duration) -> String {
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    return seconds < 1
      ? "# \((seconds * 10_000).rounded() / 10) ms" : "# \((seconds * 100).rounded() / 100) s"
  }

  static func unknownTopic(_ topic: String, nearest: String?) -> String {
    "no help on '\(topic)'; "
      + (nearest.map { "did you mean ':help \($0)'?" } ?? ":help lists the topics")
  }

  static func unknownName(_ name: String, nearest: String?) -> String {
    let problem = "nothing has the name '\(name)', and no statement begins with it; "
    if let nearest { return problem + "did you mean '\(nearest)'?" }
    return problem + "define it first, for example with 'let \(name) = 1'"
  }

  static func unknownCommand(_ command: String, nearest: String?) -> String {
    "unknown command ':\(command)'; "
      + (nearest.map { "did you mean ':\($0)'?" } ?? ":help lists what there is")
  }

  static func helpHint(_ topic: String?) -> String {
    topic.map { "# :help \($0) explains it" } ?? "# :help lists the topics, :quit leaves"
  }

  /// The hint for someone who does not know what to type.
  static let unknownWordHint = "# :help start shows a first session; Tab lists what can be typed"

  static func commandHint(_ command: PromptCommand) -> String {
    // The text after a semicolon is shown only by `:help :NAME`.
    "# \(command.usage) \(command.summary.prefix { $0 != ";" })"
  }

  static let quitHint = "# :quit leaves, and so does Ctrl-D"
}
