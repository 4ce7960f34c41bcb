import FetchedResults
import LineEditor
import LogReplay
import Platform
import PromptTools
import ScriptRuntime
import ScriptSyntax

extension PromptSession {
  /// Handles an entry for the prompt itself.
  ///
  /// - Returns: Whether the session continues.
  func take(_ entry: PromptEntry) -> Bool {
    switch entry {
    case .command(.quit, _): return false
    case .command(let command, let argument): perform(command, argument)
    case .unknown(let name, let nearest):
      console.answer([PromptWords.unknownCommand(name, nearest: nearest)])
    case .helpHint(let topic): console.answer([PromptWords.helpHint(topic)])
    case .quitHint: console.answer([PromptWords.quitHint])
    case .question(let name): explain(name)
    case .shell(let command): runShell(command)
    }
    return true
  }

  private func perform(_ command: PromptCommand, _ argument: String?) {
    if command.isWhole, let argument {
      return console.answer(["\(command.usage) takes no argument, but got '\(argument)'"])
    }
    switch command {
    case .help: help(argument)
    case .try: tryExample(argument)
    case .keys: console.explain(keys)
    case .history: listHistory(argument)
    case .load: load(argument)
    case .edit: edit()
    case .rerun: rerun(argument)
    case .more: showMore()
    case .page: page()
    case .all: showAll(argument)
    case .theme: setTheme(argument)
    case .undo: travel(command, argument, timeline.undo)
    case .redo: travel(command, argument, timeline.redo)
    case .goto: go(to: argument)
    case .timeline: console.answer(TimelineList(timeline, columns: console.columns).lines)
    case .record: record(argument)
    case .play: play()
    case .share: share(argument)
    case .pane: setPane(argument)
    case .would: tellTrial(of: argument)
    case .predict: setPrediction(argument)
    case .mode: setMode(argument)
    case .timer: setTimer(argument)
    case .clear: console.clear()
    case .quit: break
    }
  }

  func usage(_ command: PromptCommand) {
    console.explain(["\(command.usage) \(command.summary)"])
  }

  // MARK: Help

  private var keys: [String] {
    if console.isEditing { return KeyList.lines }
    return [console.isSpoken ? PromptWords.noEditorForPlain : PromptWords.noEditor]
  }

  func help(_ name: String?) {
    guard let name else {
      return console.explain(
        Help.overview(isEditing: console.isEditing) + CommandList.overview)
    }
    if name == "commands" || name == ":" { return console.explain(CommandList.lines) }
    if name.hasPrefix(":"), let command = PromptCommand.named(String(name.dropFirst())) {
      return usage(command)
    }
    if let answer = CrashAnswer(name) { return explain(answer) }
    switch Help.answer(to: name) {
    case .topic(let found):
      topic = found
      // The text about keys comes from the editor's own list.
      console.explain(found.lines + (found.name == "keys" ? keys : []))
      // An example is not reformatted, because it may be copied.
      console.answer(found.indentedExample)
      if !found.example.isEmpty { console.acknowledge(PromptWords.tryHint) }
      // A statement and a command may have the same name.
      if let command = PromptCommand.named(name), command != .keys {
        console.acknowledge(PromptWords.commandHint(command))
      }
    case .unknown(let word, let nearest):
      if let command = PromptCommand.named(name) { return usage(command) }
      console.answer([PromptWords.unknownTopic(word, nearest: nearest)])
    }
  }

  /// Types an example.
  ///
  /// If its names mean something else in this session, uses a new session.
  private func tryExample(_ name: String?) {
    var wanted = topic
    if let name {
      guard case .topic(let found) = Help.answer(to: name) else { return help(name) }
      wanted = found
    }
    guard let wanted = wanted ?? Help.topics.first(where: { $0.name == "start" }) else { return }
    guard !wanted.example.isEmpty else {
      let isListed = Help.topics.contains { $0.name == wanted.name }
      return console.answer([
        isListed ? "'\(wanted.name)' has no example" : "frc has no script for this text"
      ])
    }
    let example = ExampleRun(wanted, in: session)
    if let reason = example.reason { console.acknowledge(reason) }
    let place = example.isApart ? apart() : self
    example.withFiles(of: wanted) { entries, folder in
      if let folder { place.environment.allow(folder: folder) }
      for entry in entries {
        console.echo(entry)
        guard place.run(entry) else { return }
      }
    }
  }

  /// Returns another session, which is shown at the same place.
  private func apart() -> PromptSession {
    PromptSession(console: console, settings: settings, history: history)
  }

  // MARK: History and files

  private func listHistory(_ pattern: String?) {
    // The `:history` command itself is not searched.
    let isLast = history.entries.last.map { $0.hasPrefix(":") } ?? false
    let entries = Array(history.entries.dropLast(isLast ? 1 : 0))
    listed = (entries, history.entries.last)
    console.answer(HistoryList(entries, pattern: pattern).lines)
  }

  private func load(_ path: String?) {
    guard let path else { return usage(.load) }
    let source: SourceText
    do {
      source = try environment.load(path.expandingHome)
    } catch {
      return console.answer(["cannot read '\(path)': \(error.reason)"])
    }
    let script = ScriptParser.parse(source)
    for diagnostic in script.diagnostics { console.show(diagnostic, in: source) }
    guard !script.hasErrors else { return }
    let count = run(script)
    let all = script.statements.count
    console.acknowledge(
      "# \(path): \(count) of \(all) statements"
        + (count == all ? "" : "; it stops at the one that failed"))
  }

  private func edit() {
    let last = history.entries.last { PromptEntry($0) == nil } ?? ""
    do throws(ExternalEditor.Failure) {
      let text = try ExternalEditor.edit(last)
      draft = text.isEmpty ? nil : text
    } catch {
      console.answer([error.description])
    }
  }

  // MARK: Showing

  private func setMode(_ name: String?) {
    guard let name else { return console.answer(["mode \(console.mode.rawValue)"]) }
    guard let mode = OutputFormat(rawValue: name.lowercased()) else {
      console.answer(["unknown format '\(name)'"])
      return usage(.mode)
    }
    console.mode = mode
    console.acknowledge("# statements print \(mode.summary)")
  }

  private func setTimer(_ value: String?) {
    switch value?.lowercased() {
    case nil: tellsTime.toggle()
    case "on": tellsTime = true
    case "off": tellsTime = false
    default: return usage(.timer)
    }
    console.acknowledge(tellsTime ? "# times are shown" : "# times are not shown")
  }

  // MARK: Time travel

  private func travel(
    _ command: PromptCommand, _ argument: String?,
    _ move: (Int) throws(SessionTimeline.Obstacle) -> Void
  ) {
    let count = argument.map { Int($0) } ?? 1
    guard let count, count > 0 else {
      return console.answer(["\(command.usage) takes a number from 1 on, not '\(argument ?? "")'"])
    }
    go { () throws(SessionTimeline.Obstacle) in try move(count) }
  }

  private func go(to argument: String?) {
    guard let argument else { return usage(.goto) }
    guard let target = Int(argument) else {
      return console.answer([":goto N takes a number of :timeline, not '\(argument)'"])
    }
    go { () throws(SessionTimeline.Obstacle) in try timeline.go(to: target) }
  }

  private func go(_ move: () throws(SessionTimeline.Obstacle) -> Void) {
    let before = TimelineMove.State(timeline)
    do throws(SessionTimeline.Obstacle) {
      try move()
    } catch {
      return console.answer([error.description])
    }
    console.acknowledge(TimelineList(timeline, columns: console.columns).place)
    let after = TimelineMove.State(timeline)
    let lines = TimelineMove(from: before, to: after, saysMarks: console.isSpoken).lines
    lines.forEach(console.acknowledge)
  }
}

extension String {
  /// The path with the user's home in place of a `~`.
  var expandingHome: String {
    guard self == "~" || hasPrefix("~/"), let home = ProcessEnvironment["HOME"] else { return self }
    return home + dropFirst()
  }
}

/// Describes what a move through the timeline has changed.
struct TimelineMove {
  /// The compared state of a session.
  struct State {
    let position: Int
    let seen: [SeenController]
    let changes: [String: Int]
    let names: Set<String>

    init(_ timeline: SessionTimeline) {
      let session = timeline.session
      position = timeline.position
      seen = timeline.seen(at: timeline.position)
      changes = session.tally.changes
      names = Set(
        session.entities.map(\.name) + session.variableNames + session.controllerNames
          + session.tableNames + session.requests.keys + session.contexts.map(\.name))
    }
  }

  let lines: [String]

  /// The largest number of rows that are named.
  private static let most = 8

  init(from old: State, to new: State, saysMarks: Bool) {
    let isBack = new.position < old.position
    let seen = DifferencePane(SeenDifference(from: old.seen, to: new.seen))
      .lines(atMost: Self.most, saysMarks: saysMarks)
    var words: [String] = []
    let gone = old.names.subtracting(new.names).sorted()
    let came = new.names.subtracting(old.names).sorted()
    if !gone.isEmpty { words.append("no longer defined: \(Self.list(gone))") }
    if !came.isEmpty { words.append("defined again: \(Self.list(came))") }
    // This counts the objects that no controller shows.
    let entities = Set(old.changes.keys).union(new.changes.keys).sorted()
    for entity in entities where seen.isEmpty {
      let count = abs((new.changes[entity] ?? 0) - (old.changes[entity] ?? 0))
      guard count > 0 else { continue }
      let changes = "\(count) \(count == 1 ? "change" : "changes")"
      words.append("\(entity): \(changes) \(isBack ? "undone" : "redone")")
    }
    lines = (seen + words).map { "#   \($0)" }
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(most).joined(separator: ", ") + (names.count > most ? ", …" : "")
  }
}
