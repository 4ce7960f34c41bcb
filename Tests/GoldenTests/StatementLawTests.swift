import FetchedResults
import GoldenTesting
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// Checks the descriptions of statements on all statements of the repository.
struct StatementLawTests {
  @Test(
    """
    a statement that only looks leaves the session as it was; others define the names that they \
    say, and save only if they say so
    """, arguments: RepositoryFiles.scripts)
  func traits(path: String) throws {
    let source = try GoldenFiles.test(at: path).source
    let script = ScriptParser.parse(source)
    let interpreter = Interpreter(environment: FolderEnvironment(), stepLimit: 100_000) { _ in }
    interpreter.prepare(for: script)
    var before = SessionState(interpreter.session)
    for statement in script.statements {
      let hasFailed = (try? interpreter.run(statement, in: source)) == nil
      let after = SessionState(interpreter.session)
      let line = source.line(of: statement.range.lowerBound)
      if statement.traits.onlyLooks {
        #expect(after == before, "line \(line)")
      }
      checkNames(statement, before, after, hasFailed: hasFailed, "line \(line)")
      checkSaving(statement, before, after, "line \(line)")
      if hasFailed { return }
      before = after
    }
  }

  /// Checks that a statement defines the names that it says.
  private func checkNames(
    _ statement: Statement, _ before: SessionState, _ after: SessionState, hasFailed: Bool,
    _ place: Comment
  ) {
    let new = after.names.subtracting(before.names)
    let all = statement.withInner.map(\.traits)
    guard !all.contains(where: \.runsFile) else { return }
    let defined = all.flatMap(\.definitions)
    guard !defined.contains(where: \.isModel) else {
      return #expect(new.allSatisfy { $0.kind == .entity }, place)
    }
    let said = Set(defined.compactMap(DefinedName.init))
    // A statement in a block may not run, or may lose its variables at the block's end.
    if statement.inner.isEmpty, !hasFailed {
      #expect(new == said.subtracting(before.names), place)
    } else {
      #expect(new.isSubset(of: said), place)
    }
  }

  /// Checks that objects are saved only by a statement that saves.
  private func checkSaving(
    _ statement: Statement, _ before: SessionState, _ after: SessionState, _ place: Comment
  ) {
    let all = statement.withInner.map(\.traits)
    guard !all.contains(where: \.runsFile) else { return }

    if !all.contains(where: { $0.effect == .saves }) {
      #expect(after.tally.saved == before.tally.saved, place)
    }
  }

  @Test(
    "the colours of a text know the names that its statements define",
    arguments: RepositoryFiles.scripts)
  func colouring(path: String) throws {
    let source = try GoldenFiles.test(at: path).source
    let statements = ScriptParser.parse(source).statements.flatMap { $0.withInner }
    var said: Set<String> = []
    for definition in statements.flatMap({ $0.traits.definitions }) {
      if let name = DefinedName(definition) { said.insert(name.text) }
    }

    let known = TextParts(String(decoding: source.bytes, as: UTF8.self)).defined
    #expect(said.subtracting(known) == [])
  }

}

/// A name and its meaning.
private struct DefinedName: Hashable {
  enum Kind { case entity, request, controller, table, context, variable }

  let kind: Kind
  let text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  init?(_ definition: StatementPart.Definition) {
    switch definition {
    case .entity(let entity): self.init(.entity, entity.name.text)
    case .context(let context): self.init(.context, context.name.text)
    case .variable(let name, _): self.init(.variable, name.text)
    case .request(let name, _), .storedRequest(let name, _): self.init(.request, name.text)
    case .controller(let name, _), .observer(let name, _): self.init(.controller, name.text)
    case .table(let name, of: _): self.init(.table, name.text)
    case .model: return nil
    }
  }
}

/// The state of a session, without the rows that its contexts have happened to read.
private struct SessionState: Equatable {
  let names: Set<DefinedName>
  let tally: SessionTally
  let quirks: FetchedResultsQuirks
  /// The changes of each context, in the order of the contexts.
  let changes: [Changes]
  /// The request and the fetched objects of each controller, by its name.
  let controllers: [String: Results]
  let requests: [String: String]

  /// The values of the inserted and updated objects of a context, and its deleted objects.
  struct Changes: Equatable {
    let values: [ObjectID: [PropertyValue]]
    let deleted: [ObjectID]
  }

  struct Results: Equatable {
    let request: String
    let objects: [ObjectID]?
  }

  init(_ session: Session) {
    names = Set(
      session.entities.map { DefinedName(.entity, $0.name) }
        + session.requests.keys.map { DefinedName(.request, $0) }
        + session.controllerNames.map { DefinedName(.controller, $0) }
        + session.historyObservers.keys.map { DefinedName(.controller, $0) }
        + session.tableNames.map { DefinedName(.table, $0) }
        + session.contexts.map { DefinedName(.context, $0.name) }
        + session.variableNames.map { DefinedName(.variable, $0) })
    tally = session.tally
    quirks = session.quirks
    changes = session.contexts.map { _, context in
      Changes(
        values: Dictionary(
          uniqueKeysWithValues: (context.insertedObjects + context.updatedObjects).map { object in
            (object.objectID, object.entity.attributes.indices.map { object.value(at: $0) })
          }),
        deleted: context.deletedObjects.map(\.objectID))
    }
    controllers = session.controllers.mapValues { binding in
      Results(
        request: "\(binding.controller.fetchRequest)",
        objects: binding.fetchedObjects.map { $0.map(\.objectID) })
    }
    requests = session.requests.mapValues { "\($0)" }
  }
}

extension Statement {
  fileprivate var withInner: [Statement] { [self] + inner.flatMap(\.withInner) }
}

extension StatementTraits {
  fileprivate var runsFile: Bool {
    parts.contains { if case .file = $0 { true } else { false } }
  }
}

extension StatementPart.Definition {
  fileprivate var isModel: Bool { if case .model = self { true } else { false } }
}
