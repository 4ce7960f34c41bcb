package import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

/// Runs a script and records the operations, so that they can be repeated on Core Data.
package struct ScriptExporter {
  private let environment: any ScriptEnvironment
  private let evaluation: EvaluationEnvironment
  private let limit: (any StatementLimit)?

  /// The largest number of operations in a script.
  package static var mostSteps: Int { 20_000 }

  /// - Parameters:
  ///   - environment: The source of files.
  ///   - evaluation: The clock and the locale at the beginning.
  ///   - limit: The limit for all statements; nil for none.
  package init(
    environment: any ScriptEnvironment, evaluation: EvaluationEnvironment = EvaluationEnvironment(),
    limit: (any StatementLimit)? = nil
  ) {
    self.limit = limit
    self.environment = environment
    self.evaluation = evaluation
  }

  /// Runs a script until a statement fails.
  ///
  /// - Parameters:
  ///   - name: The path of the script, for people.
  ///   - hasSeveralSessions: Whether its statements belong to more than one session.
  /// - Throws: The first reason why it cannot be exported.
  package func export(
    _ script: ParsedScript, named name: String, hasSeveralSessions: Bool = false
  ) throws(ExportRefusal) -> ExportedScript {
    guard !script.hasErrors else { throw ExportRefusal(line: nil, reason: .syntaxErrors) }
    guard !hasSeveralSessions else { throw ExportRefusal(line: nil, reason: .severalSessions) }
    let recorder = OperationRecorder()
    let interpreter = Interpreter(
      environment: environment.newSession(), evaluation: evaluation, stepLimit: 1_000_000
    ) { [limit] event in
      limit?.note(event)
      recorder.take(event)
    }
    recorder.listen(to: interpreter)
    interpreter.prepare(for: script)
    defer { _ = interpreter.close() }
    for statement in script.statements {
      recorder.line = script.source.line(of: statement.range.lowerBound)
      do throws(ScriptError) {
        try interpreter.run(statement, in: script.source)
      } catch {
        recorder.statementFailed()
        break
      }
      recorder.statementEnded()
      if let refusal = recorder.refusal { throw refusal }
    }
    return try recorder.finish(named: name, summary: script.summary)
  }
}

extension ParsedScript {
  /// The comment of the first line, without its marker.
  fileprivate var summary: String {
    let line = source.text(ofLine: 1)
    return line.hasPrefix("# ") ? String(line.dropFirst(2)) : ""
  }
}
