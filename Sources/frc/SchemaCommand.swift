import ArgumentParser
import FetchedResults
import FetchedResultsSQLite
import ScriptRuntime
import ScriptSyntax

/// `frc schema STORE`: prints the entities that a store's tables suggest, as statements.
struct SchemaCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Reconstruct the entities of a store whose model you do not have.",
    discussion: """
      The statements go to standard output. A store does not contain all of its model: names are \
      in capitals, to-many relationships may have no name, and nothing says what is optional. \
      Comments mark what frc had to guess. The store is only read, so an app may use it meanwhile.

        frc schema app.sqlite > app.frc
        frc run --store app.sqlite app.frc
      """)

  @Argument(help: .value("store", "A SQLite store in Core Data's format."))
  var store: String

  func run(writingTo output: Output) throws {
    do throws(StoreError) {
      let model = try ImpliedModel(ofStoreAt: store, named: store)
      output.write(document: SchemaScript(model, of: store).formatted)
    } catch {
      throw output.failure("\(error)", status: 1)
    }
  }
}

/// A reconstructed model as a script, with its guesses as comments.
struct SchemaScript {
  /// One line, or a comment with several.
  private struct Line {
    var text: String
    var comment: String?
    /// The index of the entity that the line belongs to.
    let entity: Int?
    /// Whether it is the first or last line of its entity.
    let isFrame: Bool

    var shown: String { comment.map { "\(text)  # \($0)" } ?? text }
  }

  private var lines: [Line] = []

  init(_ model: ImpliedModel, of store: String) {
    var head =
      model.isStored
      ? [
        "The entities of the store \(store.quoted), as frc stored them in it.",
        "It does not have default values, limits, expressions and delete rules.",
      ]
      : [
        "The entities that the store \(store.quoted) implies.",
        "A store has names in capitals only: their letters' case is a guess, unless an index",
        "has it. It does not say what is optional, so everything is.",
      ]
    if !model.omissions.isEmpty {
      head += ["Left out:"] + model.omissions.map { "  \($0.words)" }
    }
    lines = head.map { Line(text: "# \($0)", entity: nil, isFrame: true) }
    for (number, entity) in model.entities.enumerated() {
      lines.append(Line(text: "", entity: nil, isFrame: true))
      add(entity, number, model.doubts[entity.name] ?? [:])
    }
    commentOutErrors()
  }

  private mutating func add(
    _ entity: EntityDescription, _ number: Int, _ doubts: [String: [ImpliedModel.Doubt]]
  ) {
    let texts = entity.scriptLines
    let names = (entity.ownAttributes.map(\.name) + entity.ownRelationships.map(\.name)).map {
      Optional($0)
    }
    for (place, text) in texts.enumerated() {
      let isFrame = place == 0 || place == texts.count - 1
      let name = isFrame || place > names.count ? nil : names[place - 1]
      let words = name.flatMap { doubts[$0] }?.map(\.words) ?? []
      lines.append(
        Line(
          text: text, comment: words.isEmpty ? nil : words.joined(separator: "; "),
          entity: number, isFrame: isFrame))
    }
  }

  /// The script, formatted.
  var formatted: [UInt8] {
    ScriptFormatter.format(ScriptParser.parse(SourceText(name: "schema", text: text)))
  }

  private var text: String { lines.map { $0.shown + "\n" }.joined() }

  /// Turns lines that would be errors into comments, such as an entity with the name of a type.
  private mutating func commentOutErrors() {
    // Each round turns at least one line into a comment.
    for _ in lines.indices {
      let wrong = wrongLines
      guard !wrong.isEmpty else { return }
      for place in wrong {
        let line = lines[place]
        for other in lines.indices
        where other == place
          || (line.isFrame && line.entity != nil && lines[other].entity == line.entity)
        {
          lines[other].text =
            lines[other].text.isComment ? lines[other].text : "# " + lines[other].text
        }
      }
    }
  }

  private var wrongLines: Set<Int> {
    let source = SourceText(name: "schema", text: text)
    let script = ScriptParser.parse(source)
    var errors = script.diagnostics.filter { $0.severity == .error }
    if errors.isEmpty {
      errors = Checker(environment: FileEnvironment()).check(script).map(\.diagnostic)
        .filter { $0.severity == .error }
    }
    let places = errors.map { source.position(of: $0.range.lowerBound).line - 1 }
    return Set(places.filter { lines.indices.contains($0) && !lines[$0].text.isComment })
  }
}

extension String {
  fileprivate var isComment: Bool { isEmpty || hasPrefix("#") }
}

extension ImpliedModel.Doubt {
  /// The guess, as a comment.
  fileprivate var words: String {
    switch self {
    case .noValue: "no row has a value"
    case .alwaysSet(let rows):
      "perhaps not optional: no nil in \(rows) \(rows == 1 ? "row" : "rows")"
    case .perhaps(let types): "or " + types.map(\.scriptName).joined(separator: ", ")
    case .ownerByRows: "perhaps of the parent: only these objects have values"
    case .destinations(let names): "or to " + names.dropFirst().joined(separator: ", ")
    case .noDestination: "a relationship, but no entity has these numbers"
    case .madeUpName: "the name is made up; there may be no inverse"
    case .perhapsInverse(let name): "the same pairs as \(name)"
    case .withoutIndex: "perhaps only a number: it has no index"
    case .perhapsNamed(let name): "or \(name): a sibling has a column without the digits"
    }
  }
}

extension ImpliedModel.Omission {
  fileprivate var words: String {
    switch self {
    case .entity(let name):
      "entity \(name.quoted): not a table of Core Data, or without a usable name"
    case .column(let column, let table): "column \(column.quoted) of \(table.quoted)"
    case .joinTable(let table): "table \(table.quoted)"
    case .property(let name, let entity): "\(name.quoted) of \(entity): the name is taken"
    }
  }
}
