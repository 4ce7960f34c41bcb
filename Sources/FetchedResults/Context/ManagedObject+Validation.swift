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
  /// while there is someone on the other side.
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

  private func failure(_ property: String, _ objection: Objection) -> ObjectValidationError.Failure
  {
    ObjectValidationError.Failure(
      objectID: objectID, attribute: property, rule: objection.rule, reason: objection.reason)
  }
}

/// The rule that a value breaks, and what it must be, in words.
private typealias Objection = (rule: ObjectValidationError.Rule, reason: String)

extension AttributeDescription {
  fileprivate func objection(to value: PropertyValue) -> Objection? {
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
  fileprivate func objection(to value: PropertyValue) -> Objection? {
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
