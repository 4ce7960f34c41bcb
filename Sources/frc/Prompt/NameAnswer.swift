import FetchedResults
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// The answer to `books?`: what the name is, how and where it is defined, and which help topic
/// explains it.
struct NameAnswer {
  private(set) var lines: [String] = []
  /// The help topic that explains more.
  private(set) var topic: String?

  /// Returns nil if the name is unknown.
  init?(_ name: String, timeline: SessionTimeline) {
    let session = timeline.session
    if let object = ObjectAnswer(name, session: session) {
      lines = object.lines
      topic = "objects"
      return
    }
    let word = name.hasPrefix("$") ? String(name.dropFirst()) : name
    let path = word.split(separator: ".").map(String.init)
    let definition = Definition(of: path.first ?? word, in: timeline)
    if path.count > 1 {
      guard let line = Self.property(path, session) else { return nil }
      lines = [line]
      topic = "entity"
    } else if let value = session.variable(word) {
      lines = ["\(word) is a variable, \(value.shownKind)" + Self.object(value, session)]
      topic = "let"
    } else if let entity = session.entities.first(where: { $0.name == word }) {
      lines =
        ["\(word) is an entity:"]
        + EventFormatter.text.lines(for: .model(entities: [entity], hooks: [:], requests: []))
      topic = "entity"
    } else if let binding = session.controllers[word] {
      lines = ["\(word) is a controller, \(Self.state(binding))"]
      topic = "controller"
    } else if let binding = session.tables[word] {
      lines = ["\(word) is a table of the controller \(binding.controller.name)"]
      topic = "table"
    } else if session.requests[word] != nil {
      lines = ["\(word) is a request"]
      topic = "request"
    } else if session.context(named: word) != nil {
      lines = ["\(word) is a context"]
      topic = "context"
    } else {
      return nil
    }
    if path.count == 1, let definition {
      let isEntity = session.entities.contains { $0.name == word }
      lines += (isEntity ? [] : definition.text.linesOfText.map { "  " + $0 }) + [definition.place]
    }
  }

  /// Returns a line such as `Book.title is an attribute: title: String`.
  private static func property(_ path: [String], _ session: Session) -> String? {
    var entity = session.entities.first { $0.name == path[0] }
    if entity == nil, case .value(.object(let id))? = session.variable(path[0]) {
      entity = id.entity
    }
    for name in path.dropFirst().dropLast() {
      entity = entity?.destination(ofRelationship: name)
    }
    guard let entity, let name = path.last, let text = entity.scriptText(ofProperty: name) else {
      return nil
    }
    let isAttribute = entity.attributes.contains { $0.name == name }
    return "\(entity.name).\(name) is \(isAttribute ? "an attribute" : "a relationship"): \(text)"
  }

  private static func state(_ binding: ControllerBinding) -> String {
    guard let objects = binding.controller.fetchedObjects,
      let sections = binding.controller.sections
    else { return "which has not fetched yet" }
    let count = objects.count
    return "\(count.grouped) \(count == 1 ? "object" : "objects") in \(sections.count.grouped) "
      + (sections.count == 1 ? "section" : "sections")
  }

  private static func object(_ value: ScriptValue, _ session: Session) -> String {
    guard case .value(let value) = value else { return "" }
    return ": " + value.quotedDescription.shortened(to: 200)
  }

  /// The last definition of a name.
  private struct Definition {
    let text: String
    let place: String

    init?(of name: String, in timeline: SessionTimeline) {
      let points = timeline.points[..<timeline.position]
      guard
        let index = points.lastIndex(where: { point in
          point.failure == nil
            && (point.statement.traits.definitions.contains { $0.names(name) }
              || point.result.map { name == "_\($0)" || name == "_" } ?? false)
        })
      else { return nil }
      let point = points[index]
      text = point.text
      let source = point.source
      place =
        source.name == PromptSession.sourceName
        ? "defined by statement \(index + 1) of :timeline"
        : "defined at \(source.name):\(source.position(of: point.statement.range.lowerBound).line), "
          + "statement \(index + 1) of :timeline"
    }
  }
}

extension StatementPart.Definition {
  fileprivate func names(_ name: String) -> Bool {
    switch self {
    case .entity(let entity): entity.name.text == name
    case .context(let context): context.name.text == name
    case .variable(let own, _), .request(let own, _), .storedRequest(let own, _),
      .controller(let own, _), .table(let own, of: _):
      own.text == name
    case .model: false
    }
  }
}

extension ScriptValue {
  fileprivate var shownKind: String {
    switch self {
    case .value(let value): value.kind
    case .range: "a range"
    case .controller, .fetchedObjects: "a list"
    case .sections, .section: "sections"
    }
  }
}
