/// What a batch request does to the rows of a store, without changing any context.
package struct StoreBatch {
  /// The request that selects the rows.
  package let request: StoreRequest
  /// Whether the request's predicate alone selects the rows.
  ///
  /// Otherwise some rows are excluded.
  package let isByPredicate: Bool
  package let action: Action
  /// Computes what is derived from a row's values; nil if there is nothing to derive.
  package let derive: ((ObjectSnapshot, ObjectID) -> ObjectSnapshot)?
  /// The to-many relationships without an inverse that may lead to the rows.
  let unpairedLists: [(entity: EntityDescription, ordinal: Int)]
  /// Called with the rows before they are written.
  package let willWrite: ([ObjectID]) throws(StoreError) -> Void

  package enum Action {
    case delete
    case update([Setting])
  }

  /// The new value of an attribute of each row.
  package struct Setting: Sendable {
    /// The attribute's place in an ``ObjectSnapshot``.
    package let place: Int
    package let value: BatchUpdateRequest.NewValue
  }
}

extension StoreBatch {
  /// Returns the history entries of the rows that the request wrote.
  package func historyChanges(of ids: [ObjectID]) -> [StoreChange] {
    ids.map { id in
      switch action {
      case .delete:
        return StoreChange(objectID: id, snapshot: nil, isInsertion: false, version: 0)
      case .update(let settings):
        var change = StoreChange(
          objectID: id, snapshot: ObjectSnapshot([]), isInsertion: false, version: 0)
        change.updatedPlaces = settings.map(\.place).sorted()
        return change
      }
    }
  }

  /// Returns the values that a row has after an update.
  ///
  /// - Throws: ``StoreError/overflow(entity:attribute:)``.
  package func updated(
    _ snapshot: ObjectSnapshot, of id: ObjectID, by settings: [Setting]
  ) throws(StoreError) -> ObjectSnapshot {
    var updated = snapshot
    for setting in settings {
      switch setting.value {
      case .value(let value): updated[setting.place] = value
      case .sum(let value):
        let attribute = id.entity.attributes[setting.place]
        guard let sum = snapshot[setting.place].adding(value, for: attribute.type) else {
          throw StoreError.overflow(entity: id.entity.name, attribute: attribute.name)
        }
        updated[setting.place] = sum
      }
    }
    return derive?(updated, id) ?? updated
  }
}

extension PropertyValue {
  /// Returns the sum of two numbers of an attribute's type; nil if it exceeds 64 bits.
  fileprivate func adding(_ other: PropertyValue, for type: AttributeType) -> PropertyValue? {
    switch (self, other) {
    case (.int(let left), .int(let right)):
      let (sum, overflows) = left.addingReportingOverflow(right)
      return overflows ? nil : .int(sum)
    case (.double(let left), .double(let right)):
      return .double(type == .float ? Double(Float(left + right)) : left + right)
    case (.decimal(let left), .decimal(let right)): return .decimal(left + right)
    default: return .null
    }
  }
}
