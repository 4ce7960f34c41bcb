import PredicateSyntax

/// What must hold for an object to be saved.
extension ManagedObject {
  /// The reasons why the object may not be saved as it is.
  var validationFailures: [ObjectValidationError.Failure] {
    // Nearly every object is valid, and for most entities this check is enough.
    if let required = entity.onlyRequiredAttributes,
      !required.contains(where: { snapshot.isNull(at: $0) })
    {
      return []
    }
    var failures: [ObjectValidationError.Failure] = []
    for index in entity.validatedAttributes {
      let attribute = entity.attributes[index]
      // What was never read is as it was saved.
      if snapshot.isUnread(index) { continue }
      guard let objection = attribute.objection(to: snapshot[index]) else { continue }
      failures.append(failure(attribute.name, objection))
    }
    guard !entity.relationships.isEmpty else { return failures }
    for (ordinal, relationship) in entity.relationships.enumerated() {
      let index = entity.attributes.count + ordinal
      if snapshot.isUnread(index) { continue }
      let value = snapshot[index]
      guard let objection = relationship.objection(to: value) else { continue }
      failures.append(failure(relationship.name, objection))
    }
    return failures
  }

  /// The reasons why the object may not be deleted: its hook's, and relationships that deny it
  /// while they have an object.
  var deletionFailures: [ObjectValidationError.Failure] {
    isGone ? [] : refusals + deniedDeletions
  }

  /// What validateForDelete says.
  private var refusals: [ObjectValidationError.Failure] {
    guard let hooks = managedObjectContext?.persistentStoreCoordinator.hooks(of: entity) else {
      return []
    }
    return hooks.compactMap { $0.validateForDelete?(self) }.map { reason in
      failure("", (.refusedDeletion, reason))
    }
  }

  private var deniedDeletions: [ObjectValidationError.Failure] {
    guard !entity.relationships.isEmpty else { return [] }
    var failures: [ObjectValidationError.Failure] = []
    for (ordinal, relationship) in entity.relationships.enumerated()
    where relationship.deleteRule == .deny {
      let left = members(at: ordinal).filter { id in
        managedObjectContext?.findObject(with: id)?.isDeleted == false
      }
      guard !left.isEmpty else { continue }
      let names = PropertyValue.list(left.map(PropertyValue.object)).description
      failures.append(
        failure(
          relationship.name, (.deniedDeletion, "denies the deletion while it has \(names)")))
    }
    return failures
  }

  private func failure(_ property: String, _ objection: BrokenRule) -> ObjectValidationError.Failure
  {
    ObjectValidationError.Failure(
      objectID: objectID, attribute: property, rule: objection.rule, reason: objection.reason)
  }
}

/// The rule that a value breaks, and what it must be, in words.
private typealias BrokenRule = (rule: ObjectValidationError.Rule, reason: String)

extension AttributeDescription {
  fileprivate func objection(to value: PropertyValue) -> BrokenRule? {
    if value.isNull { return isOptional ? nil : (.required, "is a required value") }
    guard !limits.isEmpty else { return nil }
    // A length counts UTF-16 units, as NSString's does.
    let size = value.string.map { PropertyValue.int(Int64($0.utf16.count)) } ?? value
    let verb = value.string == nil ? "must be" : "must have a length of"
    if !limits.minimum.isNull, size.ordering(limits.minimum) == .ascending {
      return (value.minimumRule, "\(verb) at least \(limits.minimum)")
    }
    if !limits.maximum.isNull, size.ordering(limits.maximum) == .descending {
      return (value.maximumRule, "\(verb) at most \(limits.maximum)")
    }
    if let pattern = limits.pattern, let text = value.string, !text.matches(whole: pattern) {
      return (.pattern, "must match \(pattern.quoted)")
    }
    return nil
  }
}

extension RelationshipDescription {
  fileprivate func objection(to value: PropertyValue) -> BrokenRule? {
    guard case .list(let members) = value else {
      return value.isNull && !isOptional ? (.required, "is a required value") : nil
    }
    if members.isEmpty && isOptional { return nil }
    let found = "has \(members.count) \(members.count == 1 ? "object" : "objects")"
    if members.count < minCount { return (.minimumCount, "\(found), fewer than \(minCount)") }
    if maxCount > 0, members.count > maxCount {
      return (.maximumCount, "\(found), more than \(maxCount)")
    }
    return nil
  }
}

extension PropertyValue {
  /// The rule that a value breaks that is below a minimum.
  fileprivate var minimumRule: ObjectValidationError.Rule {
    if string != nil { return .minimumLength }
    if case .date = self { return .earliestDate }
    return .minimumNumber
  }

  /// The rule that a value breaks that is above a maximum.
  fileprivate var maximumRule: ObjectValidationError.Rule {
    if string != nil { return .maximumLength }
    if case .date = self { return .latestDate }
    return .maximumNumber
  }
}

extension String {
  /// Whether a regular expression matches the whole text, as by MATCHES; a
  /// broken one matches nothing.
  fileprivate func matches(whole pattern: String) -> Bool {
    (try? TextTest(.matches, [], pattern: pattern, locale: "").holds(self)) ?? false
  }
}

/// Code that runs at certain moments in the life of an entity's objects.
///
/// An app overrides these methods in its subclass of NSManagedObject.
///
/// ```swift
/// var hooks = ManagedObjectHooks()
/// hooks.awakeFromInsert = { $0["created"] = .date(Date()) }
/// coordinator.setHooks(hooks, of: book)
/// ```
///
/// An entity that inherits from another one has the hooks of both. The parent's run first.
public struct ManagedObjectHooks {
  /// Runs once, when a context inserts the object, before its values are assigned.
  ///
  /// When a child context saves, its new objects are inserted into the parent, where this hook runs
  /// again, as in Core Data. The child's values win.
  public var awakeFromInsert: ((ManagedObject) -> Void)?
  /// Runs when the object is made from its row, and when all of its values are read again.
  ///
  /// It may set transient properties, which does not count as a change. Core Data records no change
  /// here, so other assigned values are reset. The hook must not fetch or save, because the row may
  /// be read in the middle of a fetch or a save.
  public var awakeFromFetch: ((ManagedObject) -> Void)?
  /// Runs before validation for each object that a save will write, including deleted objects.
  ///
  /// It runs again for objects that changed since.
  public var willSave: ((ManagedObject) -> Void)?
  /// Runs once for each object that a save has written.
  ///
  /// Its changes are unsaved changes.
  public var didSave: ((ManagedObject) -> Void)?
  /// Runs before the object is deleted, directly or by a delete rule.
  ///
  /// Its relationships are not changed yet.
  public var prepareForDeletion: ((ManagedObject) -> Void)?
  /// Returns at a save why the object may not be deleted; nil if it may.
  public var validateForDelete: ((ManagedObject) -> String?)?

  /// Creates hooks that do nothing.
  public init() {}
}

extension PersistentStoreCoordinator {
  /// Sets the hooks of an entity's objects, and replaces the old ones.
  ///
  /// They apply to all contexts of the coordinator, and also to existing objects.
  public func setHooks(_ hooks: ManagedObjectHooks?, of entity: EntityDescription) {
    self.hooks[entity] = hooks
  }

  /// The hooks of an entity, inherited ones first.
  ///
  /// - Complexity: O(*d*), where *d* is the depth of the inheritance.
  func hooks(of entity: EntityDescription) -> [ManagedObjectHooks] {
    guard !hooks.isEmpty else { return [] }
    var found: [ManagedObjectHooks] = []
    var ancestor: EntityDescription? = entity
    while let entity = ancestor {
      if let hooks = hooks[entity] { found.append(hooks) }
      ancestor = entity.superentity
    }
    return found.reversed()
  }
}

/// A save was refused; lists every failure.
public struct ObjectValidationError: Error, Hashable, Sendable {
  /// A property of an object that does not allow it to be saved.
  public struct Failure: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The name of the attribute or relationship; empty if the object as a whole cannot be saved or
    /// deleted.
    public let attribute: String
    /// The rule that the property breaks.
    public let rule: Rule
    /// The requirement, as text.
    public let reason: String
  }

  /// A requirement on a property.
  ///
  /// The raw value is Core Data's error code, in NSCocoaErrorDomain.
  public enum Rule: Int, Sendable {
    /// validateForDelete refuses the deletion.
    case refusedDeletion = 1550
    /// A value, or a related object, is required.
    case required = 1570
    /// A relationship has too few objects.
    case minimumCount = 1580
    /// A relationship has too many objects.
    case maximumCount = 1590
    /// A relationship denies the deletion.
    case deniedDeletion = 1600
    /// A number is too large.
    case maximumNumber = 1610
    /// A number is too small.
    case minimumNumber = 1620
    /// A date is too late.
    case latestDate = 1630
    /// A date is too early.
    case earliestDate = 1640
    /// A string is too long.
    case maximumLength = 1660
    /// A string is too short.
    case minimumLength = 1670
    /// A string does not match its pattern.
    case pattern = 1680
  }

  /// The failures, by object in order of change and then by property.
  public let failures: [Failure]

  /// Core Data's error code, in NSCocoaErrorDomain: that of the rule, or 1560 if there are several
  /// failures.
  public var code: Int { failures.count == 1 ? failures[0].rule.rawValue : 1560 }
}

extension ObjectValidationError: CustomStringConvertible {
  /// The domain and the code, and every failure in words, in one line.
  public var description: String {
    let isOne = failures.count == 1
    return "NSCocoaErrorDomain \(code): cannot save: "
      + failures.map { failure in
        "\(failure.objectID)"
          + (failure.attribute.isEmpty ? ": " : " '\(failure.attribute)' ") + failure.reason
          + (isOne ? "" : " (\(failure.rule.rawValue))")
      }.joined(separator: "; ")
  }
}
