import FetchedResults
import ScriptRuntime
import ScriptSyntax

extension CompletionNames {
  /// What is known of a value without running anything.
  enum Shape {
    case object(EntityDescription)
    case objects(EntityDescription)
    case list
    case controller(ControllerBinding)
    case sections
    case section
    case string
    case range
    case unknown
  }

  /// Returns what a name stands for: the text's own variables first.
  func shape(ofName name: String) -> Shape {
    if let index = place.locals.lastIndex(where: { $0.name == name }) {
      return shape(ofLocal: index)
    }
    if let source = place.updatedSource, let entity = entity(of: source),
      entity.propertyIndex(named: name) != nil
    {
      return shape(ofProperty: name, of: entity)
    }
    if let value = session.variables[name] { return shape(of: value) }
    return session.controllers[name].map(Shape.controller) ?? .unknown
  }

  /// Returns what an expression gives.
  func shape(of expression: ExpressionSyntax) -> Shape {
    switch expression.kind {
    case .name(let name), .variable(let name): shape(ofName: name)
    case .object(let name, _): object(named: name)
    case .insert(let insert):
      insert.count == nil ? object(named: insert.entity.text) : objects(of: insert.entity.text)
    case .fetch(let request): objects(of: request.source.text)
    case .member(let base, let name): shape(ofMember: name.text, of: shape(of: base))
    case .methodCall(_, let name, _): shape(ofCall: name.text, of: expression)
    case .index(let base, _): element(of: shape(of: base))
    case .string: .string
    case .list: .list
    case .range: .range
    case .call(let name, _):
      ["lowercase", "string", "substring", "uppercase"].contains(name.text) ? .string : .unknown
    case .null, .boolean, .integer, .real, .date, .count, .negation, .not, .binary: .unknown
    }
  }

  /// A local may only be made of those before it.
  private func shape(ofLocal index: Int) -> Shape {
    let names = CompletionNames(session: session, place: place.hidingLocals(from: index))
    switch place.locals[index].origin {
    case .value(let value): return names.shape(of: value)
    case .element(let values): return names.element(of: names.shape(of: values))
    case .object(let controller): return names.object(named: controller)
    case .string: return .string
    case .list: return .list
    case .number: return .unknown
    }
  }

  private func object(named name: String) -> Shape {
    entity(of: name).map(Shape.object) ?? .unknown
  }

  private func objects(of source: String) -> Shape {
    entity(of: source).map(Shape.objects) ?? .unknown
  }

  private func shape(of value: ScriptValue) -> Shape {
    switch value {
    case .value(.object(let id)): .object(id.entity)
    case .value(.list(let values)):
      if case .object(let id)? = values.first { .objects(id.entity) } else { .list }
    case .value(.string): .string
    case .value: .unknown
    case .range: .range
    case .controller(let binding): .controller(binding)
    case .fetchedObjects(let binding): .objects(binding.controller.fetchRequest.entity)
    case .sections: .sections
    case .section: .section
    }
  }

  private func shape(ofMember name: String, of owner: Shape) -> Shape {
    switch (owner, name) {
    case (.object(let entity), _): shape(ofProperty: name, of: entity)
    case (.objects(let entity), "first"), (.objects(let entity), "last"): .object(entity)
    case (.controller(let binding), "fetchedObjects"):
      .objects(binding.controller.fetchRequest.entity)
    case (.controller, "sections"): .sections
    case (.controller, "sectionIndexTitles"): .list
    case (.controller, "sectionNameKeyPath"), (.controller, "cacheName"): .string
    case (.section, "name"), (.section, "indexTitle"): .string
    default: .unknown
    }
  }

  private func shape(ofProperty name: String, of entity: EntityDescription) -> Shape {
    if let index = entity.attributeIndex(named: name) {
      return entity.attributes[index].type == .string ? .string : .unknown
    }
    guard let ordinal = entity.relationshipOrdinal(named: name),
      let destination = entity.destination(ofRelationship: name)
    else { return .unknown }
    return entity.relationships[ordinal].isToMany ? .objects(destination) : .object(destination)
  }

  private func shape(ofCall method: String, of call: ExpressionSyntax) -> Shape {
    guard case .methodCall(let base, _, _) = call.kind,
      case .controller(let binding) = shape(of: base)
    else { return .unknown }
    switch method {
    case "object": return .object(binding.controller.fetchRequest.entity)
    case "sectionIndexTitle": return .string
    case "indexPath": return .list
    default: return .unknown
    }
  }

  private func element(of owner: Shape) -> Shape {
    switch owner {
    case .objects(let entity): .object(entity)
    case .controller(let binding): .object(binding.controller.fetchRequest.entity)
    case .sections: .section
    case .object, .list, .section, .string, .range, .unknown: .unknown
    }
  }
}

extension CursorPlace {
  /// The place without a local and those behind it.
  fileprivate func hidingLocals(from index: Int) -> CursorPlace {
    var place = self
    place.locals.removeSubrange(index...)
    return place
  }
}
