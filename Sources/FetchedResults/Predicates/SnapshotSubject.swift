/// An object of an entity, by its attributes alone.
struct SnapshotSubject: PredicateSubject {
  let objectID: ObjectID
  let snapshot: Snapshot

  var identity: Value { .object(objectID) }

  func value(forKey key: String) throws(PredicateError) -> PredicateValue {
    if let index = objectID.entity.attributeIndex(named: key) {
      return PredicateValue(snapshot[index])
    }
    guard key == "objectID" else { throw PredicateError.notCodingCompliant(key) }
    return .value(.object(objectID))
  }
}
