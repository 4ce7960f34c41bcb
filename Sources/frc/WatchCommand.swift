import ArgumentParser
import Platform

/// `frc watch STORE SCRIPT`: prints what a script's controllers report while an app writes to the
/// store.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print the callbacks for each save that an app makes to a store.",
    discussion: """
      The script runs on the store, which is only read. It defines entities and controllers, and \
      fetches. After each save of the app, frc prints the callbacks of the controllers. The app \
      never waits: frc reads copies of the file, and locks nothing.

      The pages of the file that changed say which rows did. The time depends on the change if \
      the store has SQLite's log (WAL); otherwise frc compares the whole file. Several saves in a \
      few milliseconds may be reported as one.

      If the store is removed or replaced, frc says so on standard error. It runs the script again \
      once there is a store. Ctrl-C ends frc with exit status 130.
      """)

  @Argument(
    help: ArgumentHelp(
      "The SQLite store of an app. If it does not exist yet, frc waits.", valueName: "store"))
  var file: String

  @Argument(help: ArgumentHelp("The script that runs on it.", valueName: "script"))
  var script: String

  @OptionGroup var options: SessionOptions

  @Option(help: "How to print events.")
  var format: OutputFormat = .text

  func validate() throws {
    if options.store != SessionSettings().store {
      throw ValidationError("--store: the first argument names the store")
    }
    if file.isEmpty || script.isEmpty { throw ValidationError("a store and a script are needed") }
  }

  func run() throws {
    var settings = options.settings
    settings.store = file
    settings.isReadOnly = true
    let follower = StoreFollower(script, ScriptRun(settings: settings, format: format))
    // Events reach the follower by a weak reference, so it is kept alive here.
    throw withExtendedLifetime(follower) { follower.run() }
  }
}
