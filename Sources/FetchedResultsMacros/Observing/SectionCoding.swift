import FetchedResults

/// Turns the names of sections into titles of a type, and back.
struct SectionCoding<Title: Hashable> {
  /// The path of the sections, such as `publisher`.
  let path: String
  private let type: AttributeType
  /// The title of a section whose value is none of the type, such as nil for a number.
  private let placeholder: Title

  /// - Throws: `FetchError` if the path does not lead to an attribute, or if the values of an
  ///   attribute are not of the title's type.
  init<Entity: ManagedEntity>(
    _ path: String, of entity: Entity.Type, in context: ManagedObjectContext
  ) throws(FetchError) {
    let description = Entity.managedSchema.entity(in: context)
    let model = context.persistentStoreCoordinator.managedObjectModel
    guard let type = description.attributeType(at: path, in: model),
      let placeholder = Self.decode(.null, as: Title.self) as? Title
    else { throw FetchError.unknownKeyPath(path, entity: description.name) }
    self.path = path
    self.type = type
    self.placeholder = placeholder
  }

  /// Returns the title of a section.
  ///
  /// The section without a name has the objects without a value, and those with an empty text.
  func title(ofSectionNamed name: String) -> Title {
    if name.isEmpty { return placeholder }
    return Self.decode(PropertyValue(sectionName: name, of: type), as: Title.self) as? Title
      ?? placeholder
  }

  /// Returns the name of the section with a title.
  func name(ofSectionTitled title: Title) -> String { Self.encode(title).sectionName }

  /// Returns the title for a value; nil if no attribute holds titles of the type.
  private static func decode(_ value: PropertyValue, as type: Any.Type) -> Any? {
    if let managed = type as? any ManagedValue.Type {
      return managed.init(managedValue: value) ?? managed.managedPlaceholder
    }
    if let optional = type as? any OptionalTitle.Type {
      return optional.wrap(value == .null ? nil : decode(value, as: optional.wrapped))
    }
    if let enumeration = type as? any RawRepresentable.Type {
      return decode(value, raw: enumeration)
    }
    return nil
  }

  /// Returns a case of an enumeration: the first one for a value that no case has.
  private static func decode<R: RawRepresentable>(
    _ value: PropertyValue, raw type: R.Type
  ) -> Any? {
    if let raw = R.RawValue.self as? any ManagedValue.Type,
      let found = raw.init(managedValue: value) as? R.RawValue, let title = R(rawValue: found)
    {
      return title
    }
    guard let cases = R.self as? any CaseIterable.Type else { return nil }
    return first(cases)
  }

  private static func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? {
    Cases.allCases.first
  }

  private static func encode(_ title: Any) -> PropertyValue {
    if let managed = title as? any ManagedValue { return managed.managedValue }
    if let optional = title as? any OptionalTitle {
      return optional.value.map { encode($0) } ?? .null
    }
    if let enumeration = title as? any RawRepresentable { return encode(enumeration.rawValue) }
    return .null
  }
}

/// An optional of any type.
private protocol OptionalTitle {
  static var wrapped: Any.Type { get }
  static func wrap(_ value: Any?) -> Any
  var value: Any? { get }
}

extension Optional: OptionalTitle {
  static var wrapped: Any.Type { Wrapped.self }
  static func wrap(_ value: Any?) -> Any { value as? Wrapped as Any }
  var value: Any? { self }
}

extension EntityDescription {
  /// Returns the type of the attribute that a dotted path leads to; nil if it leads to none.
  fileprivate func attributeType(
    at path: String, in model: ManagedObjectModel
  ) -> AttributeType? {
    var entity = self
    var names = path.split(separator: ".").map(String.init)[...]
    while let name = names.popFirst() {
      if names.isEmpty { return entity.attributes.first { $0.name == name }?.type }
      guard let step = entity.relationships.first(where: { $0.name == name }),
        let next = model.entitiesByName[step.destination]
      else { return nil }
      entity = next
    }
    return nil
  }
}
