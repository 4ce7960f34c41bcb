import FetchedResults
import Foundation
import ScriptSyntax

extension Interpreter {
  /// `for i in 1...3 { … }`.
  func loop(
    _ name: Name, over sequence: ExpressionSyntax, _ body: [Statement]
  ) throws(ScriptError) {
    switch try evaluateHead(sequence).value {
    case .range(let range):
      var number = range.lowerBound
      while number < range.upperBound {
        try iterate(name, .value(.int(number)), body)
        number += 1
      }
    case .value(.list(let values)):
      for value in values { try iterate(name, .value(value), body) }
    case .fetchedObjects(let binding):
      guard let objects = binding.controller.fetchedObjects else {
        throw failure(.notFetched(binding.name), sequence.range)
      }
      // The body may change the results, so the walk is over those of now.
      let entity = binding.controller.fetchRequest.entity
      for number in objects.numbers {
        let id = session.context.object(number, in: entity.root)?.objectID
        try iterate(name, .value(.object(id ?? ObjectID(entity: entity, number: number))), body)
      }
    case .sections(let binding):
      for section in Array(try sections(of: binding, sequence.range)) {
        try iterate(name, .section(binding, section), body)
      }
    case let other:
      throw failure(.needed("a list or a range", found: other.kind), sequence.range)
    }
  }

  private func iterate(
    _ name: Name, _ value: ScriptValue, _ body: [Statement]
  ) throws(ScriptError) {
    try countStep(at: name.range)
    session.scopes.append([name.text: value])
    defer { session.scopes.removeLast() }
    try execute(body)
  }

  /// `repeat 10 { … }`.
  func repeats(_ count: ExpressionSyntax, _ body: [Statement]) throws(ScriptError) {
    var rest = try integer(evaluateHead(count))
    while rest > 0 {
      rest -= 1
      try countStep(at: count.range)
      session.scopes.append([:])
      defer { session.scopes.removeLast() }
      try execute(body)
    }
  }

  /// `include "setup.frc"`: runs another file's statements here.
  func include(_ path: ExpressionSyntax, _ range: Range<Int>) throws(ScriptError) {
    let name = try string(path)
    let text: SourceText
    do {
      text = try environment.source(at: name, includedFrom: source.name)
    } catch {
      throw failure(.include(path: name, reason: error.reason), path.range)
    }
    guard text.name != source.name, !includers.contains(text.name) else {
      throw failure(.includesItself(path: name), path.range)
    }
    guard includers.count < 64 else { throw failure(.includeTooDeep, range) }
    let script = ScriptParser.parse(text)
    if let first = script.diagnostics.first(where: { $0.severity == .error }) {
      throw ScriptError(.includeHasErrors(path: name, first), range: first.range, source: text)
    }
    includers.append(source.name)
    defer { includers.removeLast() }
    try run(script)
  }

  /// `set clock @2026-11-21`, `set locale ja`.
  func set(_ setting: Statement.Setting, _ value: ExpressionSyntax) throws(ScriptError) {
    switch setting {
    case .clock:
      let date = try scalar(value)
      guard case .date(let moment) = date else {
        throw failure(.needed("a date", found: date.kind), value.range)
      }
      session.clock.stand(at: moment)
    case .locale:
      session.environment.locale = try string(value)
      if let warning = session.environment.localeWarning {
        warn(Diagnostic(severity: .warning, message: warning, range: value.range))
      }
    case .policy: try setPolicy(value)
    case .sql: showStatements(try truth(of: value))
    case .nilRule: session.environment.isThreeValued = try truth(of: value)
    }
  }

  /// `expect EXPRESSION`: fails where it is false, with both sides' values.
  func expect(_ condition: ExpressionSyntax) throws(ScriptError) {
    if case .binary(let left, let sign, let right) = condition.kind, sign.isComparison {
      let a = try scalar(left)
      let b = try scalar(right)
      if try compare(a, sign, b, condition.range) { return }
      throw failure(
        .unequal(text(of: condition.range), left: a.excerpt, right: b.excerpt), condition.range)
    }
    if try truth(of: condition) { return }
    throw failure(.untrue(text(of: condition.range)), condition.range)
  }

  /// The text of a part of the source, in one line.
  private func text(of range: Range<Int>) -> String {
    source.formattedText(in: range, after: "expect ").split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ").shortened()
  }

  /// `try STATEMENT`: an error becomes an event.
  func attempt(_ statement: Statement) throws(ScriptError) {
    do {
      try execute(statement)
    } catch {
      if error.kind == .interrupted || returnValue != nil { throw error }
      if case .stepLimit = error.kind { throw error }
      let position = error.source.position(of: error.range.lowerBound)
      emit(
        .error(
          message: error.kind.description, file: error.source.name, line: position.line,
          column: position.column))
    }
  }
}
