import Basics
import FetchedResults
package import ScriptRuntime
import ScriptSyntax

/// The answer to `books?`: what the name is, how and where it is defined, and which help topic
/// explains it.
package struct NameAnswer {
  package private(set) var lines: [String] = []
  /// The help topic that explains more.
  package private(set) var topic: String?

  /// Where a name is defined.
  package struct Definition {
    /// The statement that defines it.
    package let text: String
    /// The place in words, such as `defined at books.frc:3`.
    package let place: String

    package init(text: String, place: String) {
      self.text = text
      self.place = place
    }
  }

  /// Returns nil if the name is unknown.
  ///
  /// - Parameters:
  ///   - name: A name, a key path that begins with one, or an object such as `Book/1`.
  ///   - variable: The entity of a variable's object, if the script has not run and the session has
  ///     no value for it; an empty text if it is another value.
  ///   - definition: Where the name is defined.
  package init?(
    _ name: String, session: Session, variable: String? = nil, definition: Definition?
  ) {
    if let object = ObjectAnswer(name, session: session) {
      lines = object.lines
      topic = "objects"
      return
    }
    let word = name.hasPrefix("$") ? String(name.dropFirst()) : name
    let path = word.split(separator: ".").map(String.init)
    if path.count > 1 {
      guard let line = Self.property(path, session) else { return nil }
      lines = [line]
      topic = "entity"
    } else if let value = session.variable(word) {
      lines = ["\(word) is a variable, \(value.shownKind)" + Self.object(value)]
      topic = "let"
    } else if let entity = session.entities.first(where: { $0.name == word }) {
      lines =
        ["\(word) is an entity:"]
        + Event.model(entities: [entity], hooks: [:], requests: []).lines
      topic = "entity"
    } else if let binding = session.controllers[word] {
      let isObserver = binding.observer != nil
      lines = [
        "\(word) is \(isObserver ? "an observer" : "a controller"), \(Self.state(binding))"
      ]
      topic = isObserver ? "observer" : "controller"
    } else if session.historyObservers[word] != nil {
      lines = ["\(word) is an observer of the store's history"]
      topic = "observer"
    } else if let binding = session.tables[word] {
      lines = ["\(word) is a table of the controller \(binding.controller.name)"]
      topic = "table"
    } else if session.requests[word] != nil {
      lines = ["\(word) is a request"]
      topic = "request"
    } else if session.context(named: word) != nil {
      lines = ["\(word) is a context"]
      topic = "context"
    } else if let variable {
      lines = ["\(word) is a variable" + (variable.isEmpty ? "" : ", a \(variable)")]
      topic = "let"
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
    guard let objects = binding.fetchedObjects,
      let sections = binding.sections
    else { return "which has not fetched yet" }
    let count = objects.count
    return "\(count.grouped) \(count == 1 ? "object" : "objects") in \(sections.count.grouped) "
      + (sections.count == 1 ? "section" : "sections")
  }

  private static func object(_ value: ScriptValue) -> String {
    guard case .value(let value) = value else { return "" }
    return ": " + value.quotedDescription.shortened(to: 200)
  }
}

extension ScriptValue {
  fileprivate var shownKind: String {
    switch self {
    case .value(let value): value.kind
    case .range: "a range"
    case .controller, .fetchedObjects: "a list"
    case .history: "an observer"
    case .sections, .section: "sections"
    }
  }
}

/// An object as a person names it: `Book/1`.
package struct ObjectReference: Equatable {
  let entity: String
  let number: Int64

  /// Nil if the text is something else.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts[0].first, first.isLetter,
      parts[0].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
      parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(parts[1])
    else { return nil }
    entity = String(parts[0])
    self.number = number
  }
}

/// What `Book/1?` answers: the object's values, and where controllers show it.
struct ObjectAnswer {
  private(set) var lines: [String]

  /// Nil if the text names no object, or there is no such entity.
  init?(_ text: String, session: Session) {
    guard let reference = ObjectReference(text),
      let entity = session.entities.first(where: { $0.name == reference.entity })
    else { return nil }
    guard let object = session.context.object(entity: entity, number: reference.number) else {
      lines = ["there is no \(text); 'objects \(entity.name)' lists those that there are"]
      return
    }
    let article = object.entity.name.first.map { "AEIOU".contains($0) } == true ? "an" : "a"
    lines = ["\(object.objectID) is \(article) \(object.entity.name)\(Self.state(of: object))"]
    lines += Self.values(of: object)
    lines += Self.places(of: object.objectID, in: session)
  }

  /// What the next save does with it.
  private static func state(of object: ManagedObject) -> String {
    if object.isDeleted { return ", deleted and not saved" }
    if object.isInserted { return ", inserted and not saved" }
    return object.isUpdated ? ", changed and not saved" : ""
  }

  private static func values(of object: ManagedObject) -> [String] {
    // A look at the values of a fault would read them from the store.
    guard !object.isFault else { return ["  a fault: its values are not read yet"] }
    return object.entity.propertyNames.enumerated().map { index, name in
      "  \(name): \(object.value(at: index).quotedDescription.shortened(to: 200))"
    }
  }

  private static func places(of id: ObjectID, in session: Session) -> [String] {
    session.controllerNames.compactMap { name -> String? in
      guard let controller = session.controllers[name]?.controller,
        id.entity.isKindOf(entity: controller.fetchRequest.entity)
      else { return nil }
      guard controller.fetchedObjects != nil else { return "\(name) has not fetched yet" }
      guard let path = controller.indexPath(forObjectID: id) else {
        return "\(name) does not show it"
      }
      return "\(name) shows it at [\(path.section), \(path.row)]"
    }
  }
}
