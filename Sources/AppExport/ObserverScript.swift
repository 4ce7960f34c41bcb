import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

/// A script with observers as a test for SwiftData: code, and the results that frc publishes.
package struct ObserverScript {
  /// The path of the script, for people.
  package let name: String
  private let models: [String]
  private let steps: [String]

  /// The text of the file.
  ///
  /// - Parameter identifier: A name of the script in letters, digits and `_`.
  func text(as identifier: String) -> String {
    """
    #if canImport(SwiftData)
    import Foundation
    import SwiftData
    import XCTest

    @available(macOS 27, iOS 27, *)
    private enum Models {
    \(models.indentedLines)
    }

    @available(macOS 27, iOS 27, *)
    final class Observer_\(identifier): ObserverTestCase {
      /// \(name.inOneLine)
      @MainActor
      func test() async throws {
    \((setUp + steps).indentedLines.indentedText)
      }
    }
    #endif

    """
  }

  private var setUp: [String] {
    [
      "let container = try ModelContainer(",
      "  for: \(entities.map { "Models.\($0).self" }.joined(separator: ", ")),",
      "  configurations: ModelConfiguration(isStoredInMemoryOnly: true))",
      "let main = container.mainContext", "main.autosaveEnabled = false",
    ] + entities.map { "var \($0.swiftName.lowercasedFirst)s: [Models.\($0)] = []" }
  }

  private let entities: [String]

  /// Runs a script, and translates it.
  ///
  /// - Throws: The first reason why it cannot be a test for SwiftData.
  package init(
    _ script: ParsedScript, named name: String, environment: any ScriptEnvironment,
    limit: (any StatementLimit)? = nil
  ) throws(ExportRefusal) {
    self.name = name
    var translation = ObserverTranslation(script, environment, limit)
    try translation.translate()
    entities = translation.entities
    models = translation.models
    steps = translation.steps
  }
}

extension ParsedScript {
  /// Whether the script defines an observer outside of blocks.
  package var hasObservers: Bool {
    statements.contains { if case .observer = $0.kind { true } else { false } }
  }
}

extension [String] {
  fileprivate var indentedLines: String {
    map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }
}

extension String {
  fileprivate var indentedText: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }

  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }

  fileprivate var inOneLine: String {
    String(map { $0.isNewline ? " " : $0 })
  }
}

/// Runs the statements of a script, and writes what does the same with SwiftData.
private struct ObserverTranslation {
  private let script: ParsedScript
  private let interpreter: Interpreter
  private let record: Record
  private(set) var entities: [String] = []
  private(set) var models: [String] = []
  private(set) var steps: [String] = []
  /// The context in which each object was made, by its name in the script.
  private var homes: [String: String] = [:]
  private var names: [String: String] = [:]
  private var counts: [String: Int] = [:]
  private var hasObserver = false
  /// The line of the statement that is being translated.
  private var line = 0

  /// The results that observers publish while a statement runs.
  private final class Record {
    var results: [String] = []
  }

  init(
    _ script: ParsedScript, _ environment: any ScriptEnvironment, _ limit: (any StatementLimit)?
  ) {
    self.script = script
    let record = Record()
    self.record = record
    interpreter = Interpreter(environment: environment.newSession(), stepLimit: 100_000) { event in
      limit?.note(event)
      if let callback = event.callback, case .results = callback.kind {
        record.results += event.lines
      }
    }
  }

  mutating func translate() throws(ExportRefusal) {
    guard !script.hasErrors else { throw ExportRefusal(line: nil, reason: .syntaxErrors) }
    interpreter.prepare(for: script)
    defer { _ = interpreter.close() }
    for statement in script.statements {
      record.results = []
      line = script.source.line(of: statement.range.lowerBound)
      do throws(ScriptError) {
        try interpreter.run(statement, in: script.source)
      } catch {
        throw refusal(.failureInSwiftData)
      }
      let before = steps.count
      try translate(statement, in: "main")
      guard steps.count > before || !record.results.isEmpty, hasObserver else { continue }
      let expected = record.results.map { line in
        (line.hasSuffix(" at once") ? String(line.dropLast(8)) : line).quoted
      }.joined(separator: ", ")
      steps.append("try await expect(line: \(line), [\(expected)])")
    }
    guard hasObserver else { throw ExportRefusal(line: nil, reason: .nothingToCompare) }
  }

  private func refusal(_ reason: ExportRefusal.Reason) -> ExportRefusal {
    ExportRefusal(line: line, reason: reason)
  }

  private mutating func translate(
    _ statement: Statement, in context: String
  ) throws(ExportRefusal) {
    switch statement.kind {
    case .entity(let entity): try define(entity)
    case .observer(let name, .results(let request)):
      guard request.clauses.updates != .turns, context == "main",
        let binding = interpreter.session.controllers[name.text],
        let lines = binding.swiftDefinition(context: "main", models: "Models.")
      else { throw refusal(.requestInSwiftData) }
      hasObserver = true
      steps += lines + ["watch(\(name.text.quoted)) { \(name.text.swiftName).results.count }"]
    case .change(let name, let clauses):
      guard let binding = interpreter.session.controllers[name.text] else {
        throw refusal(.statementInSwiftData)
      }
      if clauses.predicate != nil {
        guard let filter = binding.swiftFilter(models: "Models.") else {
          throw refusal(.requestInSwiftData)
        }
        steps.append("\(name.text.swiftName).filterBy = \(filter)")
      }
      if clauses.sort != nil {
        steps.append("\(name.text.swiftName).sortBy = \(binding.swiftOrder)")
      }
    case .insert(let insert): try add(insert, as: nil, in: context)
    case .let(let name, let value):
      guard case .insert(let insert) = value.kind else { throw refusal(.valueInSwiftData) }
      try add(insert, as: name.text, in: context)
    case .assign(let target, .set, let value):
      guard case .member(let owner, let key) = target.kind else {
        throw refusal(.statementInSwiftData)
      }
      let object = try object(owner, in: context)
      let value = try literal(value)
      steps.append(trying("\(object).\(key.text) = \(value)"))
    case .delete(let target):
      let object = try object(target, in: context)
      steps.append(trying("\(context).delete(\(object))"))
    case .save(let name): steps.append("try \(name?.text ?? context).save()")
    case .rollback(let name): steps.append("\(name?.text ?? context).rollback()")
    case .context(let declaration):
      guard declaration.parent == nil, declaration.policy == nil else {
        throw refusal(.contextInSwiftData)
      }
      steps.append("let \(declaration.name.text) = ModelContext(container)")
    case .perform(let name, isStepping: false, let body):
      for inner in body { try translate(inner, in: name?.text ?? context) }
    case .delegate(_, .changes), .delegate(_, .none), .delegate(_, .counts): break
    case .deleteMatching(let request):
      guard request.clauses.isEmpty, entities.contains(request.source.text) else {
        throw refusal(.requestInSwiftData)
      }
      let type = "FetchDescriptor<Models.\(request.source.text)>"
      steps.append("for model in try \(context).fetch(\(type)()) { \(context).delete(model) }")
    case .show, .showRequest, .showModel, .explain, .print, .objects, .swift, .count, .fetch,
      .request, .controller, .table, .suspend, .resume, .reload, .trace:
      // They change nothing that an observer publishes.
      break
    case .try(let inner) where inner.traits.onlyLooks: break
    case .model, .storeMemory, .storeSQLite, .reset, .process, .merge, .mergeHistory, .automerge,
      .observe, .refresh, .refreshAll, .undo, .redo, .assign, .update, .importRows, .batch,
      .obtainIDs, .perform, .for, .if, .repeat, .include, .extension, .set, .expect, .try,
      .storedRequest, .observer, .delegate, .ownDelegate, .return, .deleteCache, .deleteCaches,
      .deleteHistory, .caches, .stats, .history, .evaluate, .swiftStatement, .quirk:
      throw refusal(.statementInSwiftData)
    }
  }

  /// Returns a statement with `try` in front, if it looks for an object.
  private func trying(_ line: String) -> String { line.contains("found(") ? "try " + line : line }

  // MARK: Models and objects

  private mutating func define(_ entity: EntityDeclaration) throws(ExportRefusal) {
    guard entity.parent == nil, !entity.isAbstract, entity.hooks.isEmpty,
      let description = interpreter.session.entities.first(where: { $0.name == entity.name.text }),
      description.relationships.isEmpty
    else { throw refusal(.modelInSwiftData) }
    var lines = ["@Model final class \(description.name) {"]
    for attribute in description.attributes {
      let type: String
      let empty: String
      switch attribute.type {
      case .string: (type, empty) = ("String", "\"\"")
      case .integer16, .integer32, .integer64: (type, empty) = ("Int", "0")
      case .double, .float: (type, empty) = ("Double", "0")
      case .boolean: (type, empty) = ("Bool", "false")
      case .decimal, .date, .uuid, .uri, .binaryData: throw refusal(.attributeInSwiftData)
      }
      guard attribute.expression == nil, !attribute.isTransient else {
        throw refusal(.attributeInSwiftData)
      }
      let value = attribute.defaultValue.isNull ? nil : attribute.defaultValue.quotedDescription
      let start = value ?? (attribute.isOptional ? "nil" : empty)
      lines.append("  var \(attribute.name): \(type)\(attribute.isOptional ? "?" : "") = \(start)")
    }
    entities.append(description.name)
    models += lines + ["", "  init() {}", "}"]
  }

  private mutating func add(
    _ insert: InsertSyntax, as name: String?, in context: String
  ) throws(ExportRefusal) {
    guard insert.count == nil, entities.contains(insert.entity.text) else {
      throw refusal(.statementInSwiftData)
    }
    let entity = insert.entity.text
    let number = counts[entity, default: 0] + 1
    counts[entity] = number
    let list = "\(entity.swiftName.lowercasedFirst)s"
    steps.append("\(list).append(Models.\(entity)())")
    for value in insert.values {
      guard value.operator == .set else { throw refusal(.statementInSwiftData) }
      steps.append(
        "\(list)[\(number - 1)].\(value.attribute.text) = \(try literal(value.value))")
    }
    steps.append("\(context).insert(\(list)[\(number - 1)])")
    homes["\(entity)/\(number)"] = context
    if let name { names[name] = "\(entity)/\(number)" }
  }

  /// Returns an object in a context, to which it may belong already.
  private func object(
    _ expression: ExpressionSyntax, in context: String
  ) throws(ExportRefusal) -> String {
    let object: String?
    switch expression.kind {
    case .object(let entity, let number): object = "\(entity)/\(number)"
    case .name(let name): object = names[name]
    case .null, .boolean, .integer, .real, .string, .date, .variable, .list, .range, .member,
      .index, .call, .methodCall, .count, .insert, .fetch, .negation, .not, .binary:
      object = nil
    }
    guard let object, let home = homes[object] else {
      throw refusal(.objectInSwiftData)
    }
    let parts = object.split(separator: "/")
    guard let entity = parts.first, let number = parts.last.flatMap({ Int($0) }) else {
      throw refusal(.objectInSwiftData)
    }
    let own = "\(String(entity).swiftName.lowercasedFirst)s[\(number - 1)]"
    if home == context { return own }
    return "found(Models.\(entity).self, \(own).persistentModelID, in: \(context))"
  }

  private func literal(_ expression: ExpressionSyntax) throws(ExportRefusal) -> String {
    switch expression.kind {
    case .null: return "nil"
    case .boolean(let value): return "\(value)"
    case .integer(let value): return "\(value)"
    case .real(_, let text): return text.filter { $0 != "_" }
    case .string(let parts):
      var text = ""
      for part in parts {
        guard case .text(let piece) = part else { throw refusal(.valueInSwiftData) }
        text += piece
      }
      return text.quoted
    case .date, .object, .name, .variable, .list, .range, .member, .index, .call, .methodCall,
      .count, .insert, .fetch, .negation, .not, .binary:
      throw refusal(.valueInSwiftData)
    }
  }
}
