import PredicateSyntax

/// What must hold for an object to be saved.
extension ManagedObject {
  /// The reasons why the object may not be saved as it is.
  var validationFailures: [ValidationError.Failure] {
    var failures: [ValidationError.Failure] = []
    for index in entity.validatedAttributes {
      let attribute = entity.attributes[index]
      guard let reason = attribute.reasonAgainst(snapshot[index]) else { continue }
      failures.append(failure(attribute.name, reason))
    }
    guard !entity.relationships.isEmpty else { return failures }
    for (ordinal, relationship) in entity.relationships.enumerated() {
      let index = entity.attributes.count + ordinal
      // What was never read is as it was saved.
      if snapshot.isUnread(index) { continue }
      let value = snapshot[index]
      guard let reason = relationship.reasonAgainst(value) else { continue }
      failures.append(failure(relationship.name, reason))
    }
    return failures
  }

  /// The reasons why the object may not be deleted: relationships that deny it
  /// while there is somebody on the other side.
  var deletionFailures: [ValidationError.Failure] {
    guard !entity.relationships.isEmpty else { return [] }
    var failures: [ValidationError.Failure] = []
    for (ordinal, relationship) in entity.relationships.enumerated()
    where relationship.deleteRule == .deny {
      let left = members(at: ordinal).filter { id in
        managedObjectContext?.object(with: id)?.isDeleted == false
      }
      guard !left.isEmpty else { continue }
      let names = Value.list(left.map(Value.object)).description
      failures.append(failure(relationship.name, "denies the deletion while it has \(names)"))
    }
    return failures
  }

  private func failure(_ property: String, _ reason: String) -> ValidationError.Failure {
    ValidationError.Failure(objectID: objectID, attribute: property, reason: reason)
  }
}

extension AttributeDescription {
  fileprivate func reasonAgainst(_ value: Value) -> String? {
    if value.isNull { return isOptional ? nil : "is a required value" }
    guard !limits.isEmpty else { return nil }
    // A length counts UTF-16 units, as NSString's does.
    let size = value.string.map { Value.int(Int64($0.utf16.count)) } ?? value
    let verb = value.string == nil ? "must be" : "must have a length of"
    if !limits.minimum.isNull, size.ordering(limits.minimum) == .ascending {
      return "\(verb) at least \(limits.minimum)"
    }
    if !limits.maximum.isNull, size.ordering(limits.maximum) == .descending {
      return "\(verb) at most \(limits.maximum)"
    }
    if let pattern = limits.pattern, let text = value.string, !text.matches(whole: pattern) {
      return "must match \(pattern.quoted)"
    }
    return nil
  }
}

extension RelationshipDescription {
  fileprivate func reasonAgainst(_ value: Value) -> String? {
    guard case .list(let members) = value else {
      return value.isNull && !isOptional ? "is a required value" : nil
    }
    if members.isEmpty && isOptional { return nil }
    let found = "has \(members.count) \(members.count == 1 ? "object" : "objects")"
    if members.count < minCount { return "\(found), fewer than \(minCount)" }
    if maxCount > 0, members.count > maxCount { return "\(found), more than \(maxCount)" }
    return nil
  }
}

extension String {
  /// Whether a regular expression matches the whole text, as by MATCHES; a
  /// broken one matches nothing.
  fileprivate func matches(whole pattern: String) -> Bool {
    (try? TextTest(.matches, [], pattern: pattern, locale: "").holds(self)) ?? false
  }
}
