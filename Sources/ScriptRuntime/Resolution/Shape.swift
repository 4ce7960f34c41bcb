package import FetchedResults
package import ScriptSyntax

/// The kind of a value, as far as it is known without running anything.
package enum Shape {
  case object(EntityDescription)
  case objects(EntityDescription)
  case list
  /// A controller or an observer, with the entity of its objects.
  case controller(of: EntityDescription, isObserver: Bool)
  case sections(of: EntityDescription)
  case section(of: EntityDescription)
  case string
  case range
  case unknown
}

extension Shape {
  /// Returns the shape of a member of a controller, a section or a list.
  func member(_ name: String) -> Shape {
    switch (self, name) {
    case (.object(let entity), _): Shape(ofProperty: name, of: entity)
    case (.objects(let entity), "first"), (.objects(let entity), "last"): .object(entity)
    case (.controller(let entity, _), "fetchedObjects"), (.controller(let entity, _), "results"),
      (.section(let entity), "objects"):
      .objects(entity)
    case (.controller(let entity, _), "sections"): .sections(of: entity)
    case (.controller, "sectionIndexTitles"): .list
    case (.controller, "sectionNameKeyPath"), (.controller, "cacheName"): .string
    case (.section, "name"), (.section, "indexTitle"): .string
    default: .unknown
    }
  }

  /// Returns the shape of a method's result.
  func result(ofMethod name: String) -> Shape {
    guard case .controller(let entity, _) = self else { return .unknown }
    return switch name {
    case "object", "element": .object(entity)
    case "sectionIndexTitle": .string
    case "indexPath": .list
    default: .unknown
    }
  }

  /// Returns the shape of a function's result.
  static func result(ofFunction name: String) -> Shape {
    ["lowercase", "string", "substring", "uppercase"].contains(name) ? .string : .unknown
  }

  /// The shape of an element, which an index returns and a loop's variable has.
  var element: Shape {
    switch self {
    case .objects(let entity), .controller(let entity, _): .object(entity)
    case .sections(let entity): .section(of: entity)
    case .object, .list, .section, .string, .range, .unknown: .unknown
    }
  }

  /// Creates the shape of a property: a string attribute, or the destination of a relationship.
  package init(ofProperty name: String, of entity: EntityDescription) {
    if let index = entity.attributeIndex(named: name) {
      self = entity.attributes[index].type == .string ? .string : .unknown
      return
    }
    guard let ordinal = entity.relationshipOrdinal(named: name),
      let destination = entity.destination(ofRelationship: name)
    else {
      self = .unknown
      return
    }
    self = entity.relationships[ordinal].isToMany ? .objects(destination) : .object(destination)
  }

  /// Creates the shape of a variable's value.
  init(of value: ScriptValue) {
    switch value {
    case .value(.object(let id)): self = .object(id.entity)
    case .value(.list(let values)):
      if case .object(let id)? = values.first { self = .objects(id.entity) } else { self = .list }
    case .value(.string): self = .string
    case .value: self = .unknown
    case .range: self = .range
    case .controller(let binding):
      self = .controller(of: binding.entity, isObserver: binding.observer != nil)
    case .history: self = .unknown
    case .fetchedObjects(let binding): self = .objects(binding.entity)
    case .sections(let binding): self = .sections(of: binding.entity)
    case .section(let binding, _): self = .section(of: binding.entity)
    }
  }
}

extension ControllerBinding {
  /// The entity of the controller's objects.
  var entity: EntityDescription { controller.fetchRequest.entity }
}

/// A message with its source, which may be an included file.
package struct Finding {
  package let diagnostic: Diagnostic
  package let source: SourceText

  package init(_ diagnostic: Diagnostic, in source: SourceText) {
    self.diagnostic = diagnostic
    self.source = source
  }

  init(_ error: ScriptError) { self.init(error.diagnostic, in: error.source) }
}
