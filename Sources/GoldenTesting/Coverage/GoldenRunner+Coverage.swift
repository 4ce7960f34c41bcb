import ScriptRuntime
import ScriptSyntax
import TableViews

extension GoldenRunner {
  /// Runs a test on its first store and returns what it exercises.
  ///
  /// This is a separate run: keeping reasons costs time, and changes what some statements print.
  package func coverage(of test: PreparedTest) -> Coverage {
    let record = ExerciseRecord()
    observe(test) { interpreter in
      interpreter.keepReasons()
      interpreter.hearStatement = { record.add(.statements, StatementKind($0.kind).rawValue) }
      interpreter.hearExplanations = { for item in $0 { record.add(.rules, item.rule.rawValue) } }
    } emit: { event in
      if let callback = CallbackKind(event) { record.add(.callbacks, callback.rawValue) }
      if case .exception(_, let exception) = event, let problem = exception.problem {
        record.add(.tableExceptions, problem.rawValue)
      }
    }
    return Coverage(record.exercised)
  }

  /// The items that one run has exercised so far.
  private final class ExerciseRecord {
    var exercised: [Coverage.Area: Set<String>] = [:]

    func add(_ area: Coverage.Area, _ name: String) {
      exercised[area, default: []].insert(name)
    }
  }
}
