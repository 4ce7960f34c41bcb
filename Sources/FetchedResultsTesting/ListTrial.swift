import FetchedResults
import ScriptFuzzing
import ScriptRuntime
import ScriptSyntax

/// A run of a script in which each controller has a list under test as its delegate.
final class ListTrial {
  private let interpreter: Interpreter
  private let makeList: () throws -> any FuzzedList
  private var followed: [Followed] = []

  /// A list, with the fetch whose results it shows.
  private struct Followed {
    let binding: ControllerBinding
    let list: any FuzzedList
    var fetch: AnyObject?
  }

  /// - Parameter makeList: Creates a list for one controller.
  init(_ makeList: @escaping () throws -> any FuzzedList) {
    self.makeList = makeList
    interpreter = Interpreter(
      environment: ScriptFolder(), evaluation: TrialClock.evaluation,
      stepLimit: TrialRun.stepLimit
    ) { _ in }
  }

  var session: Session { interpreter.session }

  /// Whether at least one list has results to show.
  var hasResults: Bool { followed.contains { $0.fetch != nil } }

  /// Returns the failure of a script; nil if it passes.
  static func failure(
    of script: ParsedScript, _ makeList: @escaping () throws -> any FuzzedList
  ) -> TrialFailure? {
    let trial = ListTrial(makeList)
    trial.interpreter.prepare(for: script)
    for statement in script.statements {
      do throws(TrialFailure) {
        try trial.perform(statement, in: script.source)
      } catch {
        return error
      }
    }
    return nil
  }

  /// Runs statements one by one, and compares after each one.
  func perform(_ text: String) throws(TrialFailure) {
    let source = SourceText(name: "script", text: text)
    let script = ScriptParser.parse(source)
    if script.hasErrors {
      let words = DiagnosticRenderer().render(script.diagnostics, in: source)
      throw TrialFailure(.error("syntax"), words)
    }
    interpreter.prepare(for: script)
    for statement in script.statements { try perform(statement, in: source) }
  }

  /// Runs a statement, and compares each list with its controller's sections.
  func perform(_ statement: Statement, in source: SourceText) throws(TrialFailure) {
    do throws(ScriptError) {
      try interpreter.run(statement, in: source)
    } catch {
      throw TrialFailure(
        .error(error.cause.description),
        DiagnosticRenderer().render(error.diagnostic, in: error.source))
    }
    try follow()
    for followed in followed { try compare(followed) }
  }

  /// Creates lists for new controllers, and reloads lists after a fetch.
  private func follow() throws(TrialFailure) {
    let bindings = session.controllerNames.compactMap { session.controllers[$0] }
    followed.removeAll { followed in !bindings.contains { $0 === followed.binding } }
    for binding in bindings where !followed.contains(where: { $0.binding === binding }) {
      let list: any FuzzedList
      do {
        list = try makeList()
      } catch {
        throw TrialFailure(.error("list"), "the list cannot be made: \(error)")
      }
      binding.controller.delegate = list
      followed.append(Followed(binding: binding, list: list))
    }
    for index in followed.indices {
      let controller = followed[index].binding.controller
      // A fetch sends no callbacks, so the list is reloaded.
      guard followed[index].fetch !== controller.fetchIdentity else { continue }
      followed[index].fetch = controller.fetchIdentity
      followed[index].list.reload(from: controller)
    }
  }

  private func compare(_ followed: Followed) throws(TrialFailure) {
    guard followed.fetch != nil else { return }
    let shown: [ShownSection]
    do {
      shown = try followed.list.shownSections
    } catch {
      throw TrialFailure(.listFault, "\(error)")
    }
    let comparison = ListComparison(followed.binding.controller, followed.list)
    if let difference = comparison.difference(from: shown) {
      throw TrialFailure(.list, difference)
    }
  }
}

/// Compares the rows of a list with the objects of its controller.
struct ListComparison {
  private let sections: [FetchedResultsSectionInfo]
  private let list: any FuzzedList
  /// False without a section key path, when a list may give its only section any name.
  private let comparesNames: Bool

  init(_ controller: FetchedResultsController, _ list: any FuzzedList) {
    sections = controller.sections.map(Array.init) ?? []
    self.list = list
    comparesNames = controller.sectionNameKeyPath != nil
  }

  /// Returns the first difference, and all sections of both; nil if there is no difference.
  ///
  /// - Complexity: O(*n*) for *n* rows.
  func difference(from shown: [ShownSection]) -> String? {
    guard let first = firstDifference(from: shown) else { return nil }
    return """
      \(first)
        the list shows      \(Self.words(shown.map { ($0.name, $0.rows.map(\.objectID)) }))
        the controller has  \(Self.words(sections.map { ($0.name, $0.objects.map(\.objectID)) }))
      """
  }

  private func firstDifference(from shown: [ShownSection]) -> String? {
    guard shown.count == sections.count else {
      return "the list shows \(shown.count.of("section")), the controller has \(sections.count)"
    }
    for (index, (mine, section)) in zip(shown, sections).enumerated() {
      guard !comparesNames || mine.name == section.name else {
        return "section \(index) is named '\(mine.name)' in the list, '\(section.name)' in the "
          + "controller"
      }
      let objects = section.objects
      guard mine.rows.count == objects.count else {
        return "section \(index) has \(mine.rows.count.of("row")) in the list, \(objects.count) "
          + "in the controller"
      }
      for (row, (shown, object)) in zip(mine.rows, objects).enumerated() {
        let path = ResultsIndexPath(section: index, row: row)
        guard shown.objectID == object.objectID else {
          return
            "row \(path) is \(shown.objectID) in the list, \(object.objectID) in the controller"
        }
        if let text = shown.text, let expected = list.text(for: object), text != expected {
          return "row \(path), \(object.objectID), shows '\(text)' and should show '\(expected)'"
        }
      }
    }
    return nil
  }

  /// Returns a text such as `a: Book/1 Book/2 | b: Book/3`.
  private static func words(_ sections: [(name: String, ids: [ObjectID])]) -> String {
    guard !sections.isEmpty else { return "nothing" }
    return sections.map { name, ids in
      let rows = ids.map { "\($0)" }.joined(separator: " ")
      return name.isEmpty ? "[\(rows)]" : "\(name): [\(rows)]"
    }.joined(separator: " ")
  }
}

extension Int {
  /// Returns the number with a noun: `1 section`, `2 sections`.
  func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// The shortest script found that has the same failure as a world's script.
struct ReducedFailure {
  let shape: FuzzShape
  let script: ParsedScript
  let failure: TrialFailure

  init(_ found: ListFuzzer.Failure, _ makeList: @escaping () throws -> any FuzzedList) {
    let script = ScriptParser.parse(SourceText(name: "script", text: found.script))
    let entities = Set(script.entityTexts)
    let reduced = Reducer.reduce(script) { candidate in
      // A list may trap if an entity lacks an attribute that it shows.
      guard entities.isSuperset(of: candidate.entityTexts) else { return nil }
      return ListTrial.failure(of: candidate, makeList)
    }
    shape = found.shape
    self.script = reduced?.script ?? script
    failure = reduced?.failure ?? found.failure
  }
}

extension ParsedScript {
  /// The definitions of entities, without separators.
  fileprivate var entityTexts: [String] {
    statements.compactMap { statement in
      guard case .entity = statement.kind else { return nil }
      return source.text(in: statement.range).filter {
        !$0.isWhitespace && $0 != "," && $0 != ";"
      }
    }
  }
}
