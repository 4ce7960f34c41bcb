import LineEditor
import Platform
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// The commands that show output again, run entries again, or start another program.
extension PromptSession {
  // MARK: Long output

  /// `:more`: shows the next rows of the last statement's output.
  func showMore() {
    let lost = console.screenful?.lost ?? 0
    guard let (lines, left) = console.screenful?.more() else {
      return console.answer([lost > 0 ? PromptWords.lost(lost) : PromptWords.nothingMore])
    }
    _ = console.write(lines)
    let end = lost > 0 ? PromptWords.lost(lost) : PromptWords.allShown
    console.acknowledge(left > 0 ? PromptWords.moreLeft(left) : end)
  }

  /// `:all`: shows all of the last statement's output.
  ///
  /// `:all on` shows all output from now on.
  func showAll(_ argument: String?) {
    switch argument?.lowercased() {
    case "on", "off":
      console.showsAll = argument?.lowercased() == "on"
      console.acknowledge(console.showsAll ? PromptWords.showsAll : PromptWords.showsScreenful)
    case nil:
      guard let screenful = console.screenful else {
        return console.answer([PromptWords.nothingMore])
      }
      screenful.forEachPiece { console.write($0) }
      if console.isCutOff { return console.showInterruption(PromptWords.cutOff) }
      if screenful.lost > 0 { console.acknowledge(PromptWords.lost(screenful.lost)) }
    default: usage(.all)
    }
  }

  /// `:page`: shows the output in the user's pager.
  func page() {
    guard let screenful = console.screenful else {
      return console.answer([PromptWords.nothingMore])
    }
    let name = "output.txt"
    let folder: TemporaryFolder
    do throws(SystemError) {
      folder = try TemporaryFolder()
      let file = try folder.opened().open(name, .creating, permissions: 0o600)
      try screenful.write(to: file)
    } catch {
      return console.answer(["cannot write in '\(TemporaryFolder.parent)': \(error.words)"])
    }
    defer { folder.remove() }
    let file = folder.path(of: name)
    console.flush()
    let pager = ProcessEnvironment["PAGER", default: ""]
    // `less` keeps colours, and does not wrap long lines.
    let status = ProcessCalls.runShell((pager.isEmpty ? "less -RS" : pager) + " < '\(file)'")
    guard status != 0 else { return }
    console.answer([PromptWords.pagerFailed(pager.isEmpty ? "less" : pager)])
  }

  // MARK: Other programs

  /// `!ls`: runs a shell command.
  func runShell(_ command: String) {
    guard command.contains(where: { !$0.isWhitespace }) else {
      return console.answer([PromptWords.shellUsage])
    }
    console.flush()
    let status = ProcessCalls.runShell(command)
    console.beginRow()
    // The second byte of the result contains the exit status, the first one a signal.
    if status > 255 {
      console.acknowledge("# exit status \(status >> 8)")
    } else if status > 0 {
      console.acknowledge("# ended by \(Signal(number: status & 0x7F).words)")
    } else if status < 0 {
      console.acknowledge("# the shell could not be started")
    }
  }

  // MARK: Entries

  /// The entries in the order in which `:history` listed them last, and those typed since.
  ///
  /// In the history itself, an entry that is typed again moves to the end, as `:rerun 4` may do.
  private var numberedEntries: [String] {
    guard let listed else { return history.entries }
    let start = listed.last.flatMap(history.entries.lastIndex(of:))
    return listed.entries + history.entries[(start.map { $0 + 1 } ?? 0)...]
  }

  /// `:rerun 12`, `:rerun 12-15`: runs entries of the history again.
  func rerun(_ argument: String?) {
    let entries = numberedEntries
    let places: ClosedRange<Int>
    if let argument {
      let numbers = argument.split(separator: "-", omittingEmptySubsequences: false)
        .map { Int($0.filter { !$0.isWhitespace }) }
      guard let first = numbers.first ?? nil, let last = numbers.last ?? nil, numbers.count <= 2,
        1...max(1, entries.count) ~= first, first <= last, last <= entries.count
      else {
        return console.answer([PromptWords.noEntry(argument, last: entries.count)])
      }
      places = first...last
    } else {
      guard let last = entries.lastIndex(where: { PromptEntry($0) == nil }) else {
        return console.answer([PromptWords.nothingToRerun])
      }
      places = (last + 1)...(last + 1)
    }
    // A command might run entries itself, even this one, so commands are skipped.
    for entry in places.map({ entries[$0 - 1] }) where PromptEntry(entry) == nil {
      console.echo(entry)
      guard run(entry) else { return }
    }
  }

  // MARK: Names

  /// `books?`.
  func explain(_ name: String) {
    if name.hasPrefix(":"), let command = PromptCommand.named(String(name.dropFirst())) {
      return usage(command)
    }
    if let answer = NameAnswer(name, timeline: timeline) {
      console.answer(answer.lines)
      if let topic = answer.topic { console.acknowledge(PromptWords.helpHint(topic)) }
      return
    }
    help(name)
  }

  // MARK: Colours

  /// `:theme colorblind`.
  func setTheme(_ name: String?) {
    guard let chosen = name.flatMap({ PromptTheme.Name(rawValue: $0.lowercased()) }) else {
      if let name { console.answer(["unknown theme '\(name)'"]) }
      return usage(.theme)
    }
    console.theme = console.theme.named(chosen, isLight: isLight)
    console.acknowledge(
      console.theme.usesColor ? "# \(chosen.summary)" : PromptWords.noColor)
  }
}

extension NameAnswer {
  /// Returns nil if the name is unknown.
  init?(_ name: String, timeline: SessionTimeline) {
    let word = name.hasPrefix("$") ? String(name.dropFirst()) : name
    let first = word.split(separator: ".").first.map(String.init)
    self.init(
      name, session: timeline.session,
      definition: Definition(of: first ?? word, in: timeline))
  }
}

extension NameAnswer.Definition {
  /// Finds the last definition of a name.
  fileprivate init?(of name: String, in timeline: SessionTimeline) {
    let points = timeline.points[..<timeline.position]
    guard
      let index = points.lastIndex(where: { point in
        point.failure == nil
          && (point.statement.traits.definitions.contains { $0.name?.text == name }
            || point.result.map { name == "_\($0)" || name == "_" } ?? false)
      })
    else { return nil }
    let point = points[index]
    let source = point.source
    self.init(
      text: point.text,
      place: source.name == PromptSession.sourceName
        ? "defined by statement \(index + 1) of :timeline"
        : "defined at \(source.name):\(source.position(of: point.statement.range.lowerBound).line), "
          + "statement \(index + 1) of :timeline")
  }
}

extension Screenful {
  /// Writes all lines to a new file, and how many were not kept.
  func write(to file: borrowing OpenFile) throws(SystemError) {
    let descriptor = file.descriptor
    var failure: SystemError?
    forEachPiece { lines in
      do throws(SystemError) {
        try descriptor.write(lines.map { $0 + "\n" }.joined().utf8)
        return !InterruptFlag.isRaised
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    if lost > 0, !InterruptFlag.isRaised {
      try descriptor.write((PromptWords.lost(lost) + "\n").utf8)
    }
  }
}

extension PromptSession {
  /// `:pane books`, `:pane off`.
  ///
  /// Without a name, or with `on`, shows the only controller.
  func setPane(_ name: String?) {
    let isNamed = name != nil && (name != "on" || session.controllers["on"] != nil)
    if !isNamed, let shown = panes.paneName { return console.answer(["pane \(shown)"]) }
    let known = session.controllerNames
    guard let name = isNamed ? name : known.count == 1 ? known.first : nil else {
      return console.answer([PromptWords.pane(of: known)])
    }
    guard name != "off" else {
      panes.paneName = nil
      return console.acknowledge("# no pane")
    }
    guard console.isEditing, panes.isAllowed else {
      return console.answer([PromptWords.noPane])
    }
    var wanted = name
    // For a table, the pane shows the table's controller.
    if let table = session.tables[name] { wanted = table.controller.name }
    guard session.controllers[wanted] != nil else {
      return console.answer([PromptWords.noController(name, known: session.controllerNames)])
    }
    panes.paneName = wanted
    console.acknowledge("# the sections of \(wanted) are beside the line; :pane off hides them")
  }

  /// `:would insert Book(title: "Dune")`.
  func tellTrial(of text: String?) {
    guard let text else { return usage(.would) }
    let source = SourceText(name: Self.sourceName, text: text)
    let script = ScriptParser.parse(source, as: .prompt)
    for diagnostic in script.diagnostics { console.show(diagnostic, in: source) }
    guard !script.hasErrors else { return }
    guard timeline.canTry(script) else { return console.answer([PromptWords.notTried]) }
    guard let outcome = timeline.trial(of: script, within: PromptWords.longestTrial) else {
      return console.answer([PromptWords.trialTooLong])
    }
    WouldLine(callbacks: outcome.callbacks, failure: outcome.failure).lines
      .forEach(console.acknowledge)
  }
}

extension PromptWords {
  static let noPane =
    "no pane here: it needs a terminal in which the line can be drawn again, and no --plain"

  /// The answer if no pane is shown, and it is not clear which one is wanted.
  static func pane(of known: [String]) -> String {
    known.isEmpty
      ? "pane off; define a controller first"
      : "pane off; write ':pane \(known[0])', or another of \(known.joined(separator: ", "))"
  }

  static func noController(_ name: String, known: [String]) -> String {
    "no controller or table '\(name)'"
      + (known.isEmpty
        ? "; define a controller first"
        : "; there \(known.count == 1 ? "is" : "are") \(known.joined(separator: ", "))")
  }

  /// The longest time that `:would` tries a statement.
  static let longestTrial = Duration.seconds(10)

  static let notTried =
    "not tried: only statements without effects outside of the session are, on objects in memory, "
    + "where no hook or callback prints"
  static let trialTooLong = "not tried: it took more than 10 seconds, or was interrupted"
}

extension Diagnostic {
  /// Returns the corrected entry; nil if the correction is unknown.
  ///
  /// - Parameter start: The start of the part that has not run, in UTF-8 bytes.
  func correction(of source: SourceText, from start: Int = 0) -> String? {
    guard let replacement, severity == .error else { return nil }
    let bytes = source.bytes
    guard start <= range.lowerBound, range.upperBound <= bytes.count else { return nil }
    let before = String(decoding: bytes[start..<range.lowerBound], as: UTF8.self)
    let after = String(decoding: bytes[range.upperBound...], as: UTF8.self)
    return before + replacement + after
  }
}
