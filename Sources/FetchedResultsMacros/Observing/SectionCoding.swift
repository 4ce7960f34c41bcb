import FetchedResults
public import Foundation

/// Turns the names of sections into titles of a type, and back.
struct SectionCoding<Title: Hashable> {
  /// The path of the sections, such as `publisher`.
  let path: String
  private let type: AttributeType
  /// The title of a section whose value is none of the type, such as nil for a number.
  private let placeholder: Title

  /// - Throws: `FetchError` if the path does not lead to an attribute, or if the values of an
  ///   attribute are not of the title's type; `SectionTitleError` if objects may have no value, and
  ///   no title means that.
  init<Entity: ManagedEntity>(
    _ path: String, of entity: Entity.Type, in context: ManagedObjectContext
  ) throws {
    let description = Entity.managedSchema.entity(in: context)
    let model = context.persistentStoreCoordinator.managedObjectModel
    guard let (type, isOptional) = description.attribute(at: path, in: model),
      let placeholder = Self.decode(.null, as: Title.self) as? Title
    else { throw FetchError.unknownKeyPath(path, entity: description.name) }
    // Two sections would have the placeholder as their title.
    if isOptional, !Self.encode(placeholder).sectionName.isEmpty {
      throw SectionTitleError(keyPath: path, titleType: "\(Title.self)")
    }
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

/// Why an observer cannot have sections of a type: no title is left for objects without a value.
public struct SectionTitleError: Error, Hashable, Sendable {
  /// The path of the sections, such as `author.age`.
  public let keyPath: String
  /// The type of the titles, such as `Int`.
  public let titleType: String
}

extension SectionTitleError: CustomStringConvertible, LocalizedError {
  /// A description of the error.
  public var description: String {
    "'\(keyPath)' may have no value, for which \(titleType) has no title; use \(titleType)? as the "
      + "type of the titles"
  }

  /// The description, which `localizedDescription` returns, too.
  public var errorDescription: String? { description }
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
  /// Returns the type of the attribute that a dotted path leads to, and whether objects may have no
  /// value there; nil if it leads to none.
  fileprivate func attribute(
    at path: String, in model: ManagedObjectModel
  ) -> (type: AttributeType, isOptional: Bool)? {
    var entity = self
    var isOptional = false
    var names = path.split(separator: ".").map(String.init)[...]
    while let name = names.popFirst() {
      if names.isEmpty {
        return entity.attributes.first { $0.name == name }
          .map { ($0.type, isOptional || $0.isOptional) }
      }
      guard let step = entity.relationships.first(where: { $0.name == name }),
        let next = model.entitiesByName[step.destination]
      else { return nil }
      isOptional = isOptional || step.isOptional
      entity = next
    }
    return nil
  }
}
