import FetchedResults
import ScriptRuntime
import ScriptSyntax

/// An object as a person names it: `Book/1`.
struct ObjectReference: Equatable {
  let entity: String
  let number: Int64

  /// Nil if the text is something else.
  init?(_ text: some StringProtocol) {
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
