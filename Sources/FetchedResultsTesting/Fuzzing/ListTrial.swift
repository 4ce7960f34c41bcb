import FetchedResults
import PredicateSyntax
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
